#!/usr/bin/env bash
# PrairieLearn runs this for each submission. Exit code 1 only says that somebody should look at it.
BASE=${BASE:-/grade}
workbench grade "$BASE/student" --form prairielearn --out "$BASE/results/results.json"
[ $? -le 1 ]
