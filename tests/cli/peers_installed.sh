# The programs whose models are read, side by side with ours where they are installed: they train a model, and both
# tag with it; then they read what we write. Prints nothing but the names of programs that disagree.
found=
items() {
    caucus features -q -T "$EXAMPLES/kitchen/template" "$1"
    echo
}
if command -v crfsuite >/dev/null; then
    found=yes
    head -n 3000 "$EXAMPLES/kitchen/train.txt" | items - >train.items
    items "$EXAMPLES/kitchen/test.txt" >test.items
    crfsuite learn -a l2sgd -p max_iterations=5 -m peer.crfsuite train.items >log || cat log
    crfsuite tag -m peer.crfsuite test.items >theirs
    caucus tag -q -m peer.crfsuite test.items | cut -f 2 >ours
    cmp theirs ours
    caucus convert --as crfsuite peer.crfsuite ours.crfsuite
    crfsuite tag -m ours.crfsuite test.items | cmp theirs -
fi
[ -n "$found" ] || { echo "crfsuite is not installed"; exit 77; }
