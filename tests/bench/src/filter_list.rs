//! The filters that are measured. Each finds the needles of one kind, and nothing else; but for those of [`common`],
//! which find many resources.

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::{http::encode, seed::NEEDLES};

/// How many of the 97 families a list of names stands for, in a filter that finds many.
const MANY: u32 = 48;

/// A filter: its name for people, and what is asked.
pub type Filter = (String, String);

fn list(query: &str) -> String {
    format!("/resources/minimal?queryString={}", encode(query))
}

fn history(query: &str) -> String {
    format!("/history/resources?queryString={}", encode(query))
}

/// A page of 100 with its total.
fn page(query: &str) -> String {
    format!("/resources/search?queryString={}&pageSize=100", encode(query))
}

fn text<'v>(needles: &'v Value, name: &str) -> Result<&'v str> {
    needles[name].as_str().with_context(|| format!("no needle {name}"))
}

fn joined(needles: &Value, name: &str) -> Result<String> {
    let ids = needles[name].as_array().with_context(|| format!("no needles {name}"))?;
    Ok(ids.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(","))
}

/// The values of all needles, `{}` being the number of each.
fn each(pattern: &str) -> String {
    (0..NEEDLES).map(|number| pattern.replace("{}", &number.to_string())).collect::<Vec<_>>().join(",")
}

/// Every variable of the minimal list and of the history, and every parameter of the list.
pub fn alone(needles: &Value) -> Result<Vec<Filter>> {
    let newest = text(needles, "newestTime")?;
    let oldest = text(needles, "oldestTime")?;
    let addresses =
        |third: u8| (1..=NEEDLES).map(|last| format!("172.31.{third}.{last}")).collect::<Vec<_>>().join(",");
    let mut filters = Vec::new();
    let mut add = |name: &str, path: String| filters.push((name.to_owned(), path));
    for (variable, letter) in [("hostName", "h"), ("dnsName", "d"), ("resourceName", "r"), ("aliasName", "a")] {
        add(&format!("{variable}, 2 characters"), list(&format!("{variable}:z{letter}")));
        add(&format!("{variable}, 6 characters"), list(&format!("{variable}:z{letter}need")));
        let whole = match letter {
            "h" | "a" => format!("z{letter}needle{{}}web"),
            "d" => "zdneedle{}.lan".to_owned(),
            _ => "zrneedle{}".to_owned(),
        };
        add(&format!("{variable}, equal"), list(&format!("{variable}:{}+isEquals:true", each(&whole))));
    }
    // Nearly half of all host names have this in them, but only the needles' aliases.
    add("aliasName, common in hostName", list("aliasName:web"));
    for (name, query) in [
        ("id", format!("id:{}", joined(needles, "listed")?)),
        ("serialNumber", format!("serialNumber:{}", each("ZSN-a-{}"))),
        ("systemUID", format!("systemUID:{}", each("5a5a5a5a-000a-4010-8048-00000000000{}"))),
        ("ipAddress", format!("ipAddress:{}", addresses(255))),
        ("ipAddress, block", "ipAddress:172.31.255.0/28".to_owned()),
        ("state:inactive", "state:inactive".to_owned()),
        ("state:discovered", "state:discovered".to_owned()),
        ("type", "type:EBS".to_owned()),
        ("deviceType", "deviceType:Zneedle Type".to_owned()),
        ("resourceType", "resourceType:Zneedle Type".to_owned()),
        ("startCreationDate", format!("startCreationDate:{newest}")),
        ("endCreationDate", format!("endCreationDate:{oldest}")),
        ("startCreationDate to endCreationDate", format!("startCreationDate:{oldest}+endCreationDate:{oldest}")),
        ("startUpdationDate", format!("startUpdationDate:{newest}")),
        ("endUpdationDate", format!("endUpdationDate:{oldest}")),
        ("tags", "tags:zneedle".to_owned()),
        ("template", "template:zneedle template".to_owned()),
        ("agentProfile", "agentProfile:zneedle agent profile".to_owned()),
        ("gatewayProfile", "gatewayProfile:zneedle gateway profile".to_owned()),
        ("instanceId", format!("instanceId:{}", each("i-zneedle-a-{}"))),
        ("accountNumber", "accountNumber:zneedle accountNumber".to_owned()),
        ("installedIntgId", "installedIntgId:INTG-zneedle".to_owned()),
        ("agentInstalled", "agentInstalled:false".to_owned()),
        ("deviceGroup", "deviceGroup:Zneedle".to_owned()),
        ("deviceGroup, equal", "deviceGroup:Zneedle Rack+isEquals:true".to_owned()),
        ("serviceGroup", "serviceGroup:Zneedle".to_owned()),
        ("deviceLocation", "deviceLocation:Zneedle".to_owned()),
        ("deviceLocation, equal", "deviceLocation:Zneedle Site+isEquals:true".to_owned()),
        ("assetManagedTime", format!("assetManagedTime:{newest}")),
        ("firstAssetManagedTime", format!("firstAssetManagedTime:{newest}")),
        ("appRoles", "appRoles:zookeeper".to_owned()),
    ] {
        add(name, list(&query));
    }
    for (name, parameter, id) in [
        ("?locationId", "locationId", &needles["site"]),
        ("?deviceGroupId", "deviceGroupId", &needles["deviceGroup"]),
        ("?deviceTypeId", "deviceTypeId", &needles["resourceType"]),
    ] {
        add(name, format!("/resources/minimal?{parameter}={id}"));
    }
    add("?state", "/resources/minimal?state=inactive".to_owned());
    for (name, query) in [
        ("id", format!("id:{}", joined(needles, "history")?)),
        ("hostName, 2 characters", "hostName:zh".to_owned()),
        ("hostName, 6 characters", "hostName:zhneed".to_owned()),
        ("hostName and state", "state:DECOMMISSIONED+hostName:zhneed".to_owned()),
        ("ipAddress", format!("ipAddress:{}", addresses(254))),
        ("ipAddress, block", "ipAddress:172.31.254.0/28".to_owned()),
        ("instanceId", format!("instanceId:{}", each("i-zneedle-c-{}"))),
        ("tags", "tags:zneedle".to_owned()),
        ("startDate", format!("startDate:{newest}")),
        ("endDate", format!("endDate:{oldest}")),
        ("type", "type:SQL_SERVER".to_owned()),
        ("accountNumber", "accountNumber:zneedle accountNumber".to_owned()),
        ("provider", "provider:zneedle provider".to_owned()),
        ("owner", "owner:zneedle owner".to_owned()),
        ("instanceType", "instanceType:zneedle instanceType".to_owned()),
        ("instanceState", "instanceState:DECOMMISSIONED".to_owned()),
        ("zone", "zone:zneedle zone".to_owned()),
        ("region", "region:zneedle region".to_owned()),
        ("ami", "ami:zneedle ami".to_owned()),
        ("hostedServiceName", "hostedServiceName:zneedle hostedServiceName".to_owned()),
        ("startLaunchDate", format!("startLaunchDate:{newest}")),
        ("endLaunchDate", format!("endLaunchDate:{oldest}")),
    ] {
        add(&format!("history {name}"), history(&query));
    }
    Ok(filters)
}

/// Filters of which one finds many resources and the other few: the order in which they are looked at matters.
pub fn combined(needles: &Value) -> Result<Vec<Filter>> {
    let newest = text(needles, "newestTime")?;
    let serials = each("ZSN-a-{}");
    let filters = [
        ("rare hostName, common type", "hostName:zh+type:DEVICE".to_owned()),
        ("rare hostName, common hostName of another variable", "hostName:zh+aliasName:web".to_owned()),
        ("common hostName, rare tags", "hostName:web+tags:zneedle".to_owned()),
        ("common hostName, serialNumber", format!("hostName:web+serialNumber:{serials}")),
        ("common tags, rare template", "tags:env+template:zneedle template".to_owned()),
        ("common tags, ipAddress block", "tags:env+ipAddress:172.31.255.0/28".to_owned()),
        ("common resourceType, rare appRoles", "type:DEVICE+appRoles:zookeeper".to_owned()),
        ("wide dates, rare deviceGroup", format!("endCreationDate:{newest}+deviceGroup:Zneedle")),
    ];
    let mut all = filters.map(|(name, query)| (name.to_owned(), list(&query))).to_vec();
    // Each with one that many or all resources meet, the one that finds few first and last.
    for (rare, query) in [
        ("hostName", "hostName:zhneed".to_owned()),
        ("dnsName", "dnsName:zdneed".to_owned()),
        ("resourceName", "resourceName:zrneed".to_owned()),
        ("aliasName", "aliasName:web".to_owned()),
        ("serialNumber", format!("serialNumber:{serials}")),
        ("tags", "tags:zneedle".to_owned()),
        ("appRoles", "appRoles:zookeeper".to_owned()),
        ("template", "template:zneedle template".to_owned()),
        ("agentProfile", "agentProfile:zneedle agent profile".to_owned()),
        ("accountNumber", "accountNumber:zneedle accountNumber".to_owned()),
        ("installedIntgId", "installedIntgId:INTG-zneedle".to_owned()),
        ("deviceGroup", "deviceGroup:Zneedle".to_owned()),
        ("deviceLocation", "deviceLocation:Zneedle".to_owned()),
    ] {
        for (common, other) in [("hostName", "hostName:web"), ("type", "type:DEVICE"), ("state", "state:all")] {
            if rare == common {
                continue;
            }
            all.push((format!("{rare} and common {common}"), list(&format!("{query}+{other}"))));
            all.push((format!("common {common} and {rare}"), list(&format!("{other}+{query}"))));
        }
    }
    Ok(all)
}

/// Each variable with a value that many resources have: an eighth of them, but for accounts, or more.
fn common(needles: &Value) -> Result<Vec<(&'static str, String)>> {
    let newest = text(needles, "newestTime")?;
    let oldest = text(needles, "oldestTime")?;
    // Each template has one in 97 in a family.
    let families =
        |word: &str| (0..MANY).map(|family| format!("{word}{}", 10_000 + family)).collect::<Vec<_>>().join(",");
    Ok(vec![
        ("hostName", "hostName:web".to_owned()),
        ("dnsName", "dnsName:lan".to_owned()),
        ("resourceName", "resourceName:-0".to_owned()),
        ("aliasName", "aliasName:shop".to_owned()),
        ("ipAddress", "ipAddress:10.0.0.0/8".to_owned()),
        ("state", "state:all".to_owned()),
        ("type", "type:DEVICE".to_owned()),
        ("deviceType", "deviceType:Linux".to_owned()),
        ("resourceType", "resourceType:Linux".to_owned()),
        ("startCreationDate", format!("startCreationDate:{oldest}")),
        ("endCreationDate", format!("endCreationDate:{newest}")),
        ("startUpdationDate", format!("startUpdationDate:{oldest}")),
        ("endUpdationDate", format!("endUpdationDate:{newest}")),
        ("tags", "tags:env".to_owned()),
        ("template", format!("template:{}", families("Standard "))),
        ("agentProfile", format!("agentProfile:{}", families("Profile "))),
        ("gatewayProfile", format!("gatewayProfile:{}", families("Gateway "))),
        ("installedIntgId", format!("installedIntgId:{}", families("INTG-"))),
        ("accountNumber", format!("accountNumber:{}", families("4711"))),
        ("agentInstalled", "agentInstalled:true".to_owned()),
        ("deviceGroup", "deviceGroup:Rack".to_owned()),
        ("serviceGroup", "serviceGroup:Service".to_owned()),
        ("deviceLocation", "deviceLocation:Site".to_owned()),
        ("appRoles", "appRoles:nginx".to_owned()),
    ])
}

/// Pages by one filter each that many resources meet.
pub fn pages(needles: &Value) -> Result<Vec<Filter>> {
    Ok(common(needles)?.into_iter().map(|(name, query)| (name.to_owned(), page(&query))).collect())
}

/// Pages by every two of these filters, in both orders. Of those about an alias and another name, nobody meets both.
pub fn pages_of_pairs(needles: &Value) -> Result<Vec<Filter>> {
    let common = common(needles)?;
    let pair = |first: usize, second: usize| {
        let (name, query) = &common[first];
        let (other, behind) = &common[second];
        (format!("common {name} and common {other}"), page(&format!("{query}+{behind}")))
    };
    let count = common.len();
    // Neighbours come first, so that anyone who takes only as many as there are filters has each of them.
    let apart = |step: usize| (0..count).map(move |first| (first, (first + step) % count));
    Ok((1..count).flat_map(apart).map(|(first, second)| pair(first, second)).collect())
}
