#!/usr/bin/env bash
# What the tests of the report page need, a Chromium and selenium to drive it, and those tests.
#
# get                    gets what is missing: selenium through pip into target, Chromium through
#                        apt-get where root may; else it says how to
# test                   runs tests/browser against the command at $SORTWELL
# test --if-possible     the same; where something is missing, says so and leaves them out
#
# CHROMIUM and CHROMEDRIVER name others than those in PATH.

set -euo pipefail
cd "$(dirname "$0")/.."

selenium=selenium==4.51.0
home=target/browser-${selenium#*==}
python=$PWD/$home/bin/python
# Where python3 cannot make environments, pip puts the modules there.
modules=$PWD/$home/modules

fail() { printf 'browser: %s\n' "$*" >&2; exit 1; }

chromium_path() { command -v "${CHROMIUM:-chromium}" || command -v chromium-browser; }
driver_path() { command -v "${CHROMEDRIVER:-chromedriver}"; }

# The Python that has selenium, if there is one.
with_selenium() {
    for candidate in "$python" python3; do
        if PYTHONPATH=$modules "$candidate" -c 'import selenium' 2> /dev/null; then
            echo "$candidate"
            return
        fi
    done
    return 1
}

# What is missing, and how to get it, in a line.
missing() {
    local debian="on Debian apt-get install"
    with_selenium > /dev/null \
        || echo -n "no selenium for Python (make browser, or pip install $selenium); "
    chromium_path > /dev/null \
        || echo -n "no Chromium ($debian chromium, or CHROMIUM=PATH); "
    driver_path > /dev/null \
        || echo -n "no chromedriver ($debian chromium-driver, or CHROMEDRIVER=PATH); "
}

get() {
    if ! with_selenium > /dev/null; then
        pip=(install --quiet --disable-pip-version-check "$selenium")
        { python3 -m venv --clear "$home" > /dev/null 2>&1 && "$home/bin/pip" "${pip[@]}"; } \
            || python3 -m pip "${pip[@]}" --target "$modules" || true
    fi
    { chromium_path && driver_path; } > /dev/null \
        || scripts/debian.sh chromium=chromium chromedriver=chromium-driver || true
    lacking=$(missing)
    [[ -z $lacking ]] || fail "${lacking%; }"
}

run_tests() {
    lacking=$(missing)
    if [[ -n $lacking ]]; then
        [[ ${1:-} == --if-possible ]] || fail "${lacking%; }"
        echo "LEFT OUT: tests of the report page: ${lacking%; }"
        return
    fi
    CHROMIUM=$(chromium_path) CHROMEDRIVER=$(driver_path) PYTHONPATH=$modules \
        PYTHONDONTWRITEBYTECODE=1 "$(with_selenium)" -m unittest discover --start-directory tests/browser
}

case ${1:-} in
    get) get ;;
    test) run_tests "${2:-}" ;;
    *) fail "say get or test" ;;
esac
