//! Embeds the files anew when one is added or taken away, which the compiler does not notice.

fn main() {
    println!("cargo::rerun-if-changed=static");
}
