# To be sourced, with `root`. Installs the tools that check the console's modules, which package.json pins, below
# `target`.
. "$root/openapi/rules/missing.sh"

target=${CARGO_TARGET_DIR:-$root/target}/console-types
case $target in /*) ;; *) target=$root/$target ;; esac

command -v npm >/dev/null 2>&1 || missing "there is no npm to install what checks the console's modules"
mkdir -p "$target"
cp "$root/crates/console/types/package.json" "$root/crates/console/types/package-lock.json" "$target"
(
    cd "$target"
    cmp -s package-lock.json node_modules/.made-from && exit
    npm ci --silent --ignore-scripts --no-audit --no-fund >&2 && cp package-lock.json node_modules/.made-from
) || missing "what checks the console's modules could not be installed (npm ci)"
