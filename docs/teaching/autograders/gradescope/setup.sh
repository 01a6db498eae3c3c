#!/usr/bin/env bash
# Gradescope runs this once, when the image of the autograder is built.
set -eu
apt-get update && apt-get install -y python3-venv
python3 -m venv /opt/workbench
/opt/workbench/bin/pip install kraft-workbench==0.1.0 # the version that your class has
ln -s /opt/workbench/bin/workbench /usr/local/bin/workbench
