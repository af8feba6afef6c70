//! The variables of `queryString` about attributes of a resource, one test each, found and not found.

use muster_tests::{Client, Server, both_backends, uuid};
use serde_json::json;

use super::{create, finds};

both_backends![
    a_quoted_value_is_taken_whole,
    by_id,
    by_host_dns_resource_and_alias_name,
    by_serial_number_and_system_uid,
    by_ip_address,
    by_type,
    by_device_type,
    by_resource_type,
    by_tags,
    by_template_and_profiles,
    by_installed_integration,
    by_agent_installed,
    by_app_roles,
    variables_are_all_conditions_at_once,
];

fn by_id(server: &Server) {
    let client = server.new_client();
    let a = create(&client, &json!({"name": "a"}));
    let b = create(&client, &json!({"name": "b"}));
    create(&client, &json!({"name": "c"}));
    finds(
        &client,
        &[
            (&format!("id:{a}"), "a"),
            (&format!("id:{}", a.to_uppercase()), "a"),
            (&format!("id:{a},{b}"), "a b"),
            (&format!("id:{a},{}", uuid()), "a"),
            (&format!("id:{}", uuid()), ""),
            (&format!("id:{}", &a[..35]), ""),
        ],
    );
}

fn by_host_dns_resource_and_alias_name(server: &Server) {
    let client = server.new_client();
    let fields = ["hostName", "dnsName", "resourceName", "aliasName"];
    for field in fields {
        create(&client, &json!({"name": field, field: "Core-Router.Example.Net"}));
    }
    create(&client, &json!({"name": "other", "hostName": "x", "dnsName": "x", "resourceName": "x", "aliasName": "x"}));
    for field in fields {
        finds(
            &client,
            &[
                (&format!("{field}:Core-Router.Example.Net"), field),
                (&format!("{field}:router"), field),
                (&format!("{field}:ROUTER.EX"), field),
                (&format!("{field}:net"), field),
                (&format!("{field}:router+isEquals:true"), ""),
                (&format!("{field}:core-router.example.net+isEquals:true"), field),
                (&format!("{field}:switch"), ""),
                (&format!("{field}:switch,router"), field),
            ],
        );
    }
    // The name that lists show, whichever it is.
    create(&client, &json!({"hostName": "shown.example"}));
    finds(
        &client,
        &[
            ("name:Shown", "shown.example"),
            ("name:HOSTN", "hostName"),
            ("name:other+isEquals:true", "other"),
            ("name:router", ""),
        ],
    );
}

fn by_serial_number_and_system_uid(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "a", "serialNumber": "SN-1000", "systemUID": "UID-AA-1"}));
    create(&client, &json!({"name": "b", "serialNumber": "SN-10001", "systemUID": "UID-AA-12"}));
    finds(
        &client,
        &[
            ("serialNumber:SN-1000", "a"),
            ("serialNumber:sn-1000", "a"),
            ("serialNumber:SN-1", ""),
            ("serialNumber:SN-1000,SN-10001", "a b"),
            ("systemUID:UID-AA-1", "a"),
            ("systemUID:uid-aa-12", "b"),
            ("systemUID:AA", ""),
        ],
    );
}

fn by_ip_address(server: &Server) {
    let client = server.new_client();
    for (name, address) in [
        ("a", "10.0.0.1"),
        ("b", "10.0.0.10"),
        ("c", "10.255.3.4"),
        ("d", "192.168.1.1"),
        ("e", "2001:db8::1"),
        ("f", "2001:db8:1::1"),
    ] {
        create(&client, &json!({"name": name, "ipAddress": address}));
    }
    create(&client, &json!({"name": "none"}));
    finds(
        &client,
        &[
            ("ipAddress:10.0.0.1", "a"),
            ("ipAddress:10.0.0.2", ""),
            ("ipAddress:10.0.0.0/8", "a b c"),
            ("ipAddress:10.0.0.0/24", "a b"),
            ("ipAddress:10.0.0.1/32", "a"),
            ("ipAddress:10.0.0.200/24", "a b"),
            ("ipAddress:0.0.0.0/0", "a b c d"),
            ("ipAddress:192.168.0.0/16,10.255.0.0/16", "c d"),
            ("ipAddress:10.0.0.1,192.168.1.1", "a d"),
            ("ipAddress:2001:db8::1", "e"),
            ("ipAddress:2001:DB8::1", "e"),
            ("ipAddress:2001:0db8:0:0:0:0:0:1", "e"),
            ("ipAddress:2001:db8::/32", "e f"),
            ("ipAddress:2001:db8::/48", "e"),
        ],
    );
    for wrong in [
        "10.0.0",
        "10",
        "web-01",
        "10.0.0.*",
        "10.0.0.1-9",
        "10.0.0.1,10.0.0",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/x",
        "2001:db8::/129",
        "10.0.0.0/",
    ] {
        client.search("/resources/minimal", &format!("ipAddress:{wrong}")).invalid(&["queryString"]);
    }
}

const TYPES: [&str; 7] = ["DEVICE", "AUTO_SCALING", "EBS", "LOAD_BALANCER", "SQL_DATABASE", "SQL_SERVER", "SYNTHETIC"];

fn one_of_each_type(client: &Client) {
    for kind in TYPES {
        create(client, &json!({"name": kind, "type": kind}));
    }
}

fn by_type(server: &Server) {
    let client = server.new_client();
    one_of_each_type(&client);
    for kind in TYPES {
        finds(&client, &[(&format!("type:{kind}"), kind), (&format!("type:{}", kind.to_lowercase()), kind)]);
    }
    finds(&client, &[("type:EBS,SYNTHETIC", "EBS SYNTHETIC"), ("type:DEVICE,SQL_SERVER", "DEVICE SQL_SERVER")]);
    let refused = client.search("/resources/minimal", "type:TEAPOT").invalid(&["queryString"]);
    for kind in TYPES {
        assert!(refused["message"].to_string().contains(kind), "{kind} is listed: {refused}");
    }
}

fn by_device_type(server: &Server) {
    let client = server.new_client();
    one_of_each_type(&client);
    create(&client, &json!({"name": "linux", "resourceType": "Linux"}));
    create(&client, &json!({"name": "switch", "resourceType": "Switch"}));
    create(&client, &json!({"name": "volume", "type": "EBS", "resourceType": "Linux"}));
    finds(
        &client,
        &[
            ("type:DEVICE+deviceType:Linux", "linux"),
            ("type:DEVICE+deviceType:Linux,Switch", "linux switch"),
            ("deviceType:Linux", "linux"),
            ("deviceType:linux", "linux"),
            ("deviceType:Toaster", ""),
            ("type:DEVICE", "DEVICE linux switch"),
            ("type:EBS+deviceType:Linux", ""),
        ],
    );
}

fn by_resource_type(server: &Server) {
    let client = server.new_client();
    for (name, kind) in [("a", "Linux"), ("b", "Windows"), ("c", "Storage Array")] {
        create(&client, &json!({"name": name, "resourceType": kind}));
    }
    create(&client, &json!({"name": "d", "type": "EBS", "resourceType": "Linux"}));
    finds(
        &client,
        &[
            ("resourceType:Linux", "a d"),
            ("resourceType:Windows,Storage Array", "b c"),
            ("resourceType:storage array", "c"),
            ("resourceType:Lin", ""),
            ("resourceType:Toaster", ""),
        ],
    );
}

fn by_tags(server: &Server) {
    let client = server.new_client();
    let tags = |names: &[&str]| names.iter().map(|name| json!({"name": name, "value": "v"})).collect::<Vec<_>>();
    create(&client, &json!({"name": "a", "tags": tags(&["Environment"])}));
    create(&client, &json!({"name": "b", "tags": tags(&["Environment", "Owner"])}));
    create(&client, &json!({"name": "c", "tags": tags(&["Cost Center"])}));
    create(&client, &json!({"name": "d"}));
    finds(
        &client,
        &[
            ("tags:Environment", "a b"),
            ("tags:Owner", "b"),
            ("tags:Owner,Cost Center", "b c"),
            ("tags:Environ", ""),
            ("tags:v", ""),
            ("tags:Nothing", ""),
        ],
    );
}

fn by_template_and_profiles(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "a", "template": "TMPL-1", "agentProfile": "101", "gatewayProfile": "GW-7"}));
    create(&client, &json!({"name": "b", "template": "TMPL-12", "agentProfile": "1012", "gatewayProfile": "GW-77"}));
    for (variable, one, two) in
        [("template", "TMPL-1", "TMPL-12"), ("agentProfile", "101", "1012"), ("gatewayProfile", "GW-7", "GW-77")]
    {
        finds(
            &client,
            &[
                (&format!("{variable}:{one}"), "a"),
                (&format!("{variable}:{two}"), "b"),
                (&format!("{variable}:{one},{two}"), "a b"),
                (&format!("{variable}:none"), ""),
            ],
        );
    }
}

fn by_installed_integration(server: &Server) {
    let client = server.new_client();
    let one = format!("INTG-{}", uuid());
    let two = format!("INTG-{}", uuid());
    create(&client, &json!({"name": "a", "installedIntgId": one}));
    create(&client, &json!({"name": "b", "installedIntgId": two}));
    create(&client, &json!({"name": "c"}));
    finds(
        &client,
        &[
            (&format!("installedIntgId:{one}"), "a"),
            (&format!("installedIntgId:{}", two.to_uppercase()), "b"),
            (&format!("installedIntgId:{one},{two}"), "a b"),
            (&format!("installedIntgId:INTG-{}", uuid()), ""),
        ],
    );
}

fn by_agent_installed(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "a", "agentInstalled": true}));
    create(&client, &json!({"name": "b", "agentInstalled": "false"}));
    create(&client, &json!({"name": "c"}));
    finds(&client, &[("agentInstalled:true", "a"), ("agentInstalled:FALSE", "b c"), ("agentInstalled:True", "a")]);
    client.search("/resources/minimal", "agentInstalled:perhaps").invalid(&["queryString"]);
}

const ROLES: &str = "activemq apache cassandra ceph couchbase couchdb dns-server docker docker-container \
    elasticsearch haproxy hbase hdfs-datanode hdfs-namenode iptable jboss kafka kubernetes kvm lighttpd memorystats \
    mesosmaster mesosslave mongodb monitd moxi-server mysql nfsiostat nginx ntp openvpn oracle postfix postgresql \
    rabbitmq redis riak solr spark squid tomcat varnish weblogic websphere zookeeper";

fn by_app_roles(server: &Server) {
    let client = server.new_client();
    let all: Vec<&str> = ROLES.split_whitespace().collect();
    assert_eq!(all.len(), 45);
    let roles = |names: &[&str]| names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>();
    create(&client, &json!({"name": "a", "appRoles": roles(&["docker", "nginx"])}));
    create(&client, &json!({"name": "b", "appRoles": roles(&["docker-container"])}));
    create(&client, &json!({"name": "c", "appRoles": roles(&all)}));
    create(&client, &json!({"name": "d"}));
    finds(
        &client,
        &[
            ("appRoles:docker", "a c"),
            ("appRoles:DOCKER", "a c"),
            ("appRoles:docker-container", "b c"),
            ("appRoles:nginx,docker-container", "a b c"),
        ],
    );
    for role in &all {
        assert!(super::found(&client, &format!("appRoles:{role}")).contains(&"c".to_owned()), "{role}");
    }
    for path in ["/resources/minimal", "/resources/search"] {
        let refused = client.search(path, "appRoles:minesweeper").invalid(&["queryString"]);
        assert!(all.iter().all(|role| refused["message"].to_string().contains(role)), "all are listed: {refused}");
    }
    let refused = client.post("/resources", &json!({"name": "e", "appRoles": [{"name": "minesweeper"}]}));
    let refused = refused.problem(400, "0002");
    assert!(refused.to_string().contains("zookeeper"), "they are listed: {refused}");
}

fn variables_are_all_conditions_at_once(server: &Server) {
    let client = server.new_client();
    create(&client, &json!({"name": "a", "hostName": "web1", "ipAddress": "10.0.0.1", "agentInstalled": true}));
    create(&client, &json!({"name": "b", "hostName": "web2", "ipAddress": "10.0.0.2", "agentInstalled": false}));
    create(&client, &json!({"name": "c", "hostName": "db1", "ipAddress": "10.0.0.3", "agentInstalled": true}));
    finds(
        &client,
        &[
            ("hostName:web+agentInstalled:true", "a"),
            ("hostName:web+ipAddress:10.0.0.0/8", "a b"),
            ("hostName:web+ipAddress:10.0.0.0/8+agentInstalled:true+type:DEVICE+state:active", "a"),
            ("hostName:web,db+agentInstalled:true", "a c"),
        ],
    );
}

fn a_quoted_value_is_taken_whole(server: &Server) {
    let client = server.new_client();
    for name in ["C++ build, old", "Rack 3, left", "C:\\temp\\", "say \"hi\"+id:1", "\"half", "C", "old"] {
        create(&client, &json!({"name": name, "resourceName": name, "tags": [{"name": name, "value": "x"}]}));
    }
    finds(
        &client,
        &[
            ("resourceName:\"C++ build, old\"", "C++ build, old"),
            ("resourceName:\"C++ build, old\"+isEquals:true", "C++ build, old"),
            ("isEquals:true+resourceName:\"rack 3, LEFT\"+state:all", "Rack 3, left"),
            ("resourceName:\"C++ build, old\",\"Rack 3, left\"+isEquals:true", "C++ build, old Rack 3, left"),
            ("tags:\"Rack 3, left\"", "Rack 3, left"),
            ("resourceName:\"say \\\"hi\\\"+id:1\"", "say \"hi\"+id:1"),
            ("resourceName:\"C:\\temp\\\\\"+isEquals:true", "C:\\temp\\"),
            ("resourceName:\"half", "\"half"),
            ("resourceName:\"++\"", "C++ build, old"),
        ],
    );
    let path = "/resources/search?queryString=resourceName:%22C%2B%2B%20build,%20old%22%2BisEquals:true";
    assert_eq!(client.get(path).page()["totalResults"], json!(1));
    let export = client.get("/resources/export?queryString=tags:%22C%2B%2B%20build,%20old%22").text();
    assert_eq!(export.lines().count(), 1, "{export}");
    client.search("/resources/minimal", "resourceName:C++ build").invalid(&["queryString"]);
}
