#!/bin/sh
# Installs the workbench from the folder that this file lies in, without a network: sh install.sh [FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=${1:-$HOME/kraft-workbench}
"${PYTHON:-python3}" -m venv "$to"
"$to/bin/python" -m pip install --quiet --no-index --disable-pip-version-check --find-links "$here/wheels" kraft-workbench
echo "Start it with: $to/bin/workbench"
