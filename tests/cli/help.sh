# Every help page as printed without a terminal: 80 columns, standard output, status 0.
for page in '' train tag eval adapt cluster inspect convert features help manual completion version \
    formats templates penalties solvers models; do
    caucus help $page || echo "status $?"
    echo ----
done
for command in train eval adapt cluster; do # others show all options on the first page
    caucus $command --help-all || echo "status $?"
    echo ----
done
caucus tag --help >page
caucus tag --help-all | cmp - page
# All ways to call for help give the same pages.
caucus help >overview
caucus --help | cmp - overview
caucus -h | cmp - overview
for command in train tag eval adapt cluster inspect convert features help manual completion version; do
    caucus help $command >page
    caucus $command --help | cmp - page
    caucus $command -h | cmp - page
done
caucus train x.txt --help --nonsense | head -n 1 # arguments after --help are ignored
# The page of train fits on two screens.
[ "$(caucus train --help | wc -l)" -le 60 ] || echo "train --help is too long"
