//! The installed software by which application roles are recognised: the data of [`super::roles`].

/// Packages by role, separated by spaces. `#` stands for a version: `postgresql-#`
/// is `postgresql-15` and `postgresql-9.6`, and not `postgresql-15-postgis-3`.
/// No package is known by which a machine is a `memorystats`; containers are
/// seen running, not installed.
pub(super) const PACKAGES: &[(&str, &str)] = &[
    ("activemq", "activemq apache-activemq"),
    (
        "apache",
        "apache apache# apache2 apache2-bin apache2-mpm-event apache2-mpm-prefork \
         apache2-mpm-worker httpd httpd# httpd#-httpd httpd-core ea-apache#",
    ),
    ("cassandra", "apache-cassandra cassandra cassandra# dse"),
    ("ceph", "ceph ceph-base ceph-mds ceph-mgr ceph-mon ceph-osd ceph-radosgw radosgw"),
    ("couchbase", "couchbase-server couchbase-server-community couchbase-server-enterprise"),
    ("couchdb", "apache-couchdb couchdb"),
    (
        "dns-server",
        "bind bind# bind-chroot bind9 coredns dnsmasq knot knot-resolver named nsd pdns \
         pdns-recursor pdns-server powerdns unbound",
    ),
    ("docker", "docker docker-ce docker-ee docker-engine docker-engine-cs docker.io moby-engine"),
    ("elasticsearch", "elasticsearch elasticsearch# elasticsearch-oss"),
    ("haproxy", "haproxy haproxy#"),
    ("hbase", "hbase hbase-master hbase-regionserver"),
    ("hdfs-datanode", "hadoop-#-datanode hadoop-hdfs-datanode"),
    ("hdfs-namenode", "hadoop-#-namenode hadoop-hdfs-namenode"),
    ("iptable", "iptables iptables-nft iptables-persistent iptables-services"),
    (
        "jboss",
        "eap#-wildfly jboss-as jboss-as# jboss-eap jboss-eap# jbossas jbossas# wildfly \
         wildfly#",
    ),
    ("kafka", "apache-kafka confluent-kafka confluent-server kafka kafka-server kafka_#"),
    (
        "kubernetes",
        "k3s k8s-control-plane kube-apiserver kubelet kubernetes kubernetes-kubeadm \
         kubernetes-master kubernetes-node kubernetes-server kubernetes#-kubeadm microk8s \
         rke2-agent rke2-server",
    ),
    (
        "kvm",
        "kvm libvirt-daemon-kvm qemu-kvm qemu-kvm-core qemu-kvm-ev qemu-kvm-rhev \
         qemu-system-arm qemu-system-ppc qemu-system-s390x qemu-system-x86 pve-qemu-kvm",
    ),
    ("lighttpd", "lighttpd"),
    ("mesosmaster", "mesos-master mesosmaster"),
    ("mesosslave", "mesos-agent mesos-slave mesosslave"),
    (
        "mongodb",
        "mongodb mongodb# mongodb-enterprise mongodb-enterprise-server mongodb-org \
         mongodb-org-server mongodb-server mongodb-server-core percona-server-mongodb \
         percona-server-mongodb-server rh-mongodb#-mongodb-server",
    ),
    ("monitd", "monit"),
    ("moxi-server", "moxi moxi-server"),
    (
        "mysql",
        "default-mysql-server mariadb mariadb#-server mariadb-galera-server mariadb-server \
         mariadb-server-# mariadb-server-core mariadb-server-core-# mariadb#-server-core \
         mysql mysql#-server mysql-commercial-server mysql-community-server \
         mysql-community-server-core mysql-community-server-minimal mysql-server \
         mysql-server-# mysql-server-core-# percona-server-server percona-server-server-# \
         percona-xtradb-cluster-server percona-xtradb-cluster-server-#",
    ),
    // nfsiostat itself comes with these.
    ("nfsiostat", "nfs-common nfs-utils"),
    (
        "nginx",
        "nginx nginx# nginx-core nginx-extras nginx-full nginx-light nginx-mainline \
         nginx-naxsi nginx-plus nginx-stable openresty",
    ),
    ("ntp", "chrony ntp ntpd-rs ntpsec openntpd"),
    ("openvpn", "openvpn openvpn-as openvpn#"),
    (
        "oracle",
        "oracle-database-ee-#c oracle-database-free-#c oracle-database-free-#ai \
         oracle-database-se2-#c oracle-database-xe-#c oracle-database-ee-#ai oracle-xe \
         oracle-xe-#g oracle-xe-universal",
    ),
    ("postfix", "postfix postfix#"),
    (
        "postgresql",
        "edb-as#-server postgresql postgresql# postgresql#-server postgresql-# \
         postgresql-server postgresql-server-# postgrespro-# postgrespro-std-#-server \
         rh-postgresql#-postgresql-server",
    ),
    ("rabbitmq", "rabbitmq rabbitmq-server"),
    ("redis", "redis redis# redis-sentinel redis-server redis-stack-server valkey valkey-server"),
    ("riak", "riak riak-ee riak-kv riak-ts"),
    ("solr", "apache-solr solr solr# solr#-base solr-jetty solr-tomcat"),
    (
        "spark",
        "apache-spark spark-core spark-history-server spark-master spark-worker \
         spark-thriftserver",
    ),
    ("squid", "squid squid# squid-openssl"),
    (
        "tomcat",
        "apache-tomcat apache-tomcat# apache-tomcat-# tomcat tomcat# jws#-tomcat# \
         pki-servlet-engine",
    ),
    ("varnish", "varnish varnish# varnish-plus"),
    ("weblogic", "weblogic oracle-weblogic"),
    ("websphere", "websphere websphere-liberty"),
    ("zookeeper", "apache-zookeeper zookeeper zookeeper-server zookeeperd"),
];

/// Names that are the server in other distributions and the client in an RPM one.
pub(super) const RPM_CLIENTS: &[&str] = &["mariadb", "mongodb", "mongodb#", "mysql", "postgresql", "postgresql#"];

/// Products by role, separated by `|`, as Windows and macOS list them: the words
/// that a name begins with, before a version or an edition.
pub(super) const PRODUCTS: &[(&str, &str)] = &[
    ("activemq", "apache activemq"),
    ("apache", "apache http server | apache http | apache httpd | apache haus"),
    ("cassandra", "apache cassandra | datastax community edition | datastax enterprise"),
    ("couchbase", "couchbase server"),
    ("couchdb", "apache couchdb"),
    ("dns-server", "isc bind | simple dns plus | technitium dns server"),
    ("docker", "docker desktop | docker engine | docker toolbox"),
    ("elasticsearch", "elasticsearch"),
    ("hbase", "apache hbase"),
    ("jboss", "jboss | jboss eap | red hat jboss enterprise application platform | wildfly"),
    ("kafka", "apache kafka | confluent platform"),
    ("kubernetes", "rancher desktop"),
    ("mongodb", "mongodb | mongodb server | percona server for mongodb"),
    ("mysql", "mariadb | mariadb server | mysql server | mysql community server | percona server"),
    ("nginx", "nginx"),
    ("ntp", "meinberg ntp | network time protocol"),
    ("openvpn", "openvpn | openvpn server"),
    ("oracle", "oracle database | oracle database server | oracle ai database"),
    ("postgresql", "postgresql | edb postgres advanced server | enterprisedb postgres"),
    ("rabbitmq", "rabbitmq server"),
    ("redis", "redis | redis for windows | redis on windows | memurai"),
    ("solr", "apache solr"),
    ("spark", "apache spark"),
    ("squid", "squid for windows | squid"),
    ("tomcat", "apache tomcat"),
    ("varnish", "varnish cache"),
    ("weblogic", "oracle weblogic | oracle weblogic server | weblogic server"),
    (
        "websphere",
        "ibm websphere application server | websphere application server | \
         ibm websphere liberty",
    ),
    ("zookeeper", "apache zookeeper"),
];

/// Words in a product's name that make it something beside the server.
pub(super) const BESIDE: &str = "\
    adapter admin agent backup bindings browser client clients compass connect connector \
    connectors development devel docs documentation driver drivers examples exporter gui \
    headers installer jdbc libraries library manager manual monitor notifier odbc pgadmin \
    plugin samples sdk shell studio tools utilities viewer workbench";

/// Words that may follow a product's name without making it another product.
pub(super) const EDITIONS: &str = "community edition enterprise express lts release server standard version xe";
