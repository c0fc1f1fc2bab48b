#!/bin/sh
# The program in the Python package: it has letters of its own, for machines without any font.
program=$(dirname "$(readlink -f "$0")")
export FONTCONFIG_FILE="${FONTCONFIG_FILE:-$program/fonts.conf}"
exec "$program/libexec/softscope/softscope" "$@"
