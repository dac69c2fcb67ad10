#!/bin/sh
# tests/run and .ci/run count tests; no kind of failure may look like a success.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
result=0
mkdir "$work/bin"

check() {
    [ "$2" = "$3" ] && return
    printf '%s:\n  expected %s\n  got      %s\n' "$1" "$3" "$2"
    result=1
}

# A fake ctest: its report is the file $work/report, its exit status is in $work/status.
cat >"$work/bin/ctest" <<END
#!/bin/sh
[ ! -e '$work/report' ] || cp '$work/report' '$work/build/Testing/report.xml'
exit \$(cat '$work/status')
END
chmod +x "$work/bin/ctest"
testcase() {
    printf '\t<testcase name="%s" classname="x" time="0" status="%s">\n' "$1" "$2"
    [ -z "$3" ] || printf '\t\t%s\n' "$3"
    printf '\t\t<system-out>%s\n</system-out>\n\t</testcase>\n' "$4"
}
count() {
    echo "$2" >"$work/status"
    last=$(PATH=$work/bin:$PATH JOBS=1 "$root/tests/run" "$work/build" 2>&1)
    status=$?
    check "$1: last line" "$(echo "$last" | tail -n 1)" "$3"
    check "$1: status" "$status" "$4"
    check "$1: summary" "$(cat "$work/build/Testing/summary")" "$3"
}
cases='1..2
ok 1 - a
ok 2 - b'

count "no report" 8 "0 passed, 1 failed" 1
: >"$work/report"
count "no tests" 0 "0 passed, 1 failed" 1
{ testcase unit/a run "" "$cases"; testcase cli/b run "" "ok 1 - c"; } >"$work/report"
count "cases of a unit test count, lines of others do not" 0 "3 passed, 0 failed" 0
count "ctest fails for a reason of its own" 1 "3 passed, 1 failed" 1
testcase unit/a fail '<failure message=""/>' "$cases
not ok 3 - c
not ok 4 # SKIP d" >"$work/report"
count "a failing case" 8 "2 passed, 1 failed" 1
testcase unit/a fail '<failure message=""/>' "$cases" >"$work/report"
count "a crash after two cases" 8 "2 passed, 1 failed" 1
{
    testcase cli/a notrun '<skipped message="SKIP_RETURN_CODE=77"/>' ""
    testcase cli/b run "" ""
} >"$work/report"
count "a skipped test is neither" 0 "1 passed, 0 failed" 0
testcase cli/a notrun '<skipped message="Unable to find executable"/>' "" >"$work/report"
count "a test that could not start" 8 "0 passed, 1 failed" 1

# .ci/run with a fake make, which runs the script $work/test or $work/asan.
cp -r "$root/.ci" "$work"
cat >"$work/bin/make" <<END
#!/bin/sh
. '$work/'\$1
END
chmod +x "$work/bin/make"
ci() {
    mkdir -p "$work/build/Testing" "$work/build-asan/Testing"
    echo "9 passed, 0 failed" >"$work/build-asan/Testing/summary" # from an earlier run
    echo "$2" >"$work/test"
    echo "$3" >"$work/asan"
    last=$(PATH=$work/bin:$PATH "$work/.ci/run" 2>&1)
    status=$?
    check "$1: last line" "$(echo "$last" | tail -n 1)" "$4"
    check "$1: status" "$status" "$5"
}
good='echo "5 passed, 0 failed" >build/Testing/summary'
asan='echo "6 passed, 0 failed" >build-asan/Testing/summary'
ci "all is well" "$good" "$asan" "11 passed, 0 failed" 0
ci "the second build fails" "$good" "exit 2" "5 passed, 1 failed" 1
ci "both builds fail" "exit 2" "exit 2" "0 passed, 2 failed" 1
ci "a test fails" 'echo "4 passed, 1 failed" >build/Testing/summary; exit 2' "$asan" \
    "10 passed, 1 failed" 1
ci "success without a count" "exit 0" "$asan" "6 passed, 1 failed" 1

exit $result
