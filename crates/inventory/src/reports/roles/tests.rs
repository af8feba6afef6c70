use super::*;

fn role_of(name: &str, from: &str) -> Option<&'static str> {
    role_of_software(&Software { name: name.to_owned(), from: Some(from.to_owned()), ..Software::default() })
}

#[test]
fn the_tables_name_known_roles_and_each_package_once() {
    assert!(APP_ROLES.is_sorted());
    for table in [PACKAGES, PRODUCTS] {
        assert!(table.lines().all(|line| line.contains(": ")));
        assert_eq!(entries(table).count(), entries(table).collect::<HashMap<_, _>>().len());
        assert!(
            entries(table).all(|(name, role)| name == name.trim() && !name.is_empty() && APP_ROLES.contains(&role))
        );
    }
    let told = |role: &&str| entries(PACKAGES).any(|(_, known)| known == *role);
    let untold: Vec<_> = APP_ROLES.iter().filter(|role| !told(role)).collect();
    assert_eq!(untold, [&"docker-container", &"memorystats"]);
}

#[test]
fn servers_count() {
    let servers = [
        (
            "deb",
            "postgresql-15=postgresql, postgresql-9.6=postgresql, postgresql=postgresql, \
                 mysql-server=mysql, mysql-server-core-8.0=mysql, mariadb-server-10.6=mysql, \
                 nginx-core=nginx, nginx:arm64=nginx, apache2=apache, redis-server=redis, \
                 docker-ce=docker, docker.io=docker, bind9=dns-server, postfix=postfix, \
                 rabbitmq-server=rabbitmq, tomcat9=tomcat, kubelet=kubernetes, \
                 qemu-system-x86=kvm, hadoop-hdfs-namenode=hdfs-namenode, monit=monitd",
        ),
        (
            "rpm",
            "postgresql15-server=postgresql, MariaDB-server=mysql, nginx=nginx, \
                 httpd=apache, redis6=redis, chrony=ntp, bind=dns-server, \
                 oracle-database-xe-21c=oracle",
        ),
        (
            "registry",
            "Apache Tomcat 9.0 Tomcat9 (remove only)=tomcat, MySQL Server 8.0=mysql, \
                 MariaDB 10.6 (x64)=mysql, PostgreSQL 15 =postgresql, \
                 OpenVPN 2.6.8-I001 amd64=openvpn, Docker Desktop=docker, \
                 IBM WebSphere Application Server V8.5=websphere",
        ),
    ];
    for (from, list) in servers {
        for (name, role) in list.split(", ").filter_map(|pair| pair.split_once('=')) {
            assert_eq!(role_of(name, from), Some(role), "{name}");
        }
    }
}

#[test]
fn clients_and_libraries_do_not_count() {
    let others = [
        (
            "deb",
            "libmysqlclient21, postgresql-client, postgresql-client-15, postgresql-common, \
                 postgresql-15-postgis-3, postgresql-doc-15, postgresql-server-dev-15, \
                 mysql-common, mysql-client-8.0, apache2-doc, apache2-utils, \
                 libapache2-mod-php8.2, nginx-common, python3-redis, redis-tools, bind9-host, \
                 docker-ce-cli, docker-compose-plugin, tomcat9-docs, libtomcat9-java, \
                 ceph-common, kubectl, kafkacat, librdkafka1, libiptc0, squid-common, ntpdate",
        ),
        ("rpm", "postgresql, postgresql15, mysql, httpd-tools, bind-utils, mongodb-mongosh"),
        (
            "registry",
            "MySQL Connector Net 8.0, MySQL Workbench 8.0 CE, PostgreSQL ODBC Driver, \
                 MongoDB Compass, Redis Insight, Oracle VM VirtualBox 7.0, Apache NetBeans IDE, \
                 OpenVPN Connect",
        ),
        ("", ""),
    ];
    for (from, list) in others {
        for name in list.split(", ") {
            assert_eq!(role_of(name, from), None, "{name}");
        }
    }
}

#[test]
fn a_report_gives_each_role_once_and_running_containers() {
    let software = |name: &str| Software { name: name.to_owned(), ..Software::default() };
    let report = Report {
        softwares: Some(vec![software("nginx"), software("apache2"), software("nginx-core")]),
        virtual_machines: Some(vec![serde_json::json!({"vmtype": "docker", "status": "running"})]),
        ..Report::default()
    };
    assert_eq!(of(&report), ["apache", "docker-container", "nginx"]);
    assert!(of(&Report::default()).is_empty());
    let partial = Report { virtual_machines: None, ..report };
    assert!(is_told(&partial, "nginx") && !is_told(&partial, CONTAINERS));
}

#[test]
fn versions_are_digits_with_dots_between() {
    assert_eq!(shape("postgresql-9.6"), "postgresql-#");
    assert_eq!(shape("a1.b2..3"), "a#.b#..#");
    assert_eq!(shape("docker.io"), "docker.io");
}
