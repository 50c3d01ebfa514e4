#!/bin/sh
# Sees to a Chromium and a Chinese font for the browser tests.
# CHROMIUM names another browser. Without root, missing packages are named and nothing is installed.
set -eu

browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
font=$(fc-list 2>/dev/null | grep -i -m 1 -e 'noto.*cjk' -e 'noto.*tc' -e pingfang -e jhenghei || true)
[ -n "$browser" ] && [ -n "$font" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing chromium and fonts-noto-cjk for the browser tests"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq >/dev/null
    apt-get install -y -qq --no-install-recommends chromium fonts-noto-cjk fontconfig >/dev/null
    exit 0
fi
[ -n "$browser" ] || {
    echo "The browser tests need Chromium or Chrome: install one, or set CHROMIUM to its path" >&2
    exit 1
}
echo "No Chinese font was found: Chinese text in the browser tests' screenshots will be boxes" >&2
