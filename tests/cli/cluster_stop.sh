# Ctrl-C while sampling and at a question: the answers are kept, and no model is written.
cp "$EXAMPLES"/pantry/*.tsv .
cluster="caucus cluster --chains 2 --samples 8 --lag 1 --again 2"

echo "= while sampling"
interrupt INT "grep -q '^sweep' err" $cluster --burn-in 1000000 -o m.cau goods.tsv
echo "status $status"
tail -n 1 err
cat out

echo "= at a question"
mkfifo answers
for way in 'terminal y' 'json {"answer":"yes"}'; do
    by=${way%% *}
    rm -f kept.tsv
    : >out >err
    env --default-signal=INT $cluster -q --burn-in 5 -o m.cau --ask 5 --by "$by" --answers kept.tsv goods.tsv \
        <answers >out 2>err &
    exec 3>answers
    echo "${way#* }" >&3
    until grep -q '^2 of 5\|{"ask":2' out err || ! kill -0 $!; do sleep 0.02; done
    sleep 0.1 # by now it waits for the answer
    kill -INT $!
    wait $!
    echo "$by: status $?"
    exec 3>&-
    tail -n 1 err
    wc -l <kept.tsv
done
ls m.cau 2>/dev/null

echo "= at a terminal"
cat >terminal.py <<'END'
"""A person at a terminal: answers no, no, and then interrupts."""
import os, pty, sys

pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "xterm"
    os.execvp("caucus", ["caucus", "cluster", "--chains", "2", "--burn-in", "5", "--samples", "8",
                         "--lag", "1", "--ask", "5", "--answers", "typed.tsv", "goods.tsv"])
keys, shown, seen = [b"n\n", b"n\n", b"\x03"], b"", 0
while True:
    try:
        got = os.read(fd, 65536)
    except OSError:
        break
    if not got:
        break
    shown += got
    if keys and shown.count(b"q(uit)? ") > seen:
        seen += 1
        os.write(fd, keys.pop(0))
status = os.waitpid(pid, 0)[1]
print("status", os.waitstatus_to_exitcode(status), "questions", shown.count(b"do these belong together?"))
print(shown.decode().splitlines()[-1])
# the progress line is erased before each question
print(all(b"sweep" not in part.rsplit(b"\x1b[K", 1)[-1] for part in shown.split(b"do these")[:-1]))
END
python3 terminal.py
wc -l <typed.tsv
