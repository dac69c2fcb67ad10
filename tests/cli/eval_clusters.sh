# Clusterings scored against classes (MATH F.7), a single one and several samples.
exec 2>&1
printf '%s\n' a,0 b,0 c,0 d,1 e,1 f,1 g,2 h,2 i,2 | tr , '\t' >gold
printf '%s\n' a,0 b,0 c,1 d,1 e,1 f,1 g,2 h,3 i,3 | tr , '\t' >one
caucus eval --clusters gold one
echo "= $?"
printf '%s\n' i,3,z,1 a,0,x,1 b,0,x,1 c,1,x,1 d,1,y,1 e,1,y,1 f,1,y,1 g,2,z,1 h,3,z,1 | tr , '\t' >three
caucus eval --clusters gold three
caucus eval --clusters gold --json one three
bad() { # bad NAME LINES: the clustering is refused
    printf "$2" | tr , '\t' >"$1"
    caucus eval --clusters gold "$1"
    echo "$1 = $?"
}
bad fewer 'a,0\nb,0\n'
bad twice 'a,0\na,1\n'
bad stranger 'z,0\n'
bad no_cluster 'a\n'
bad ragged 'a,0,1\nb,0\n'
bad nothing ''
