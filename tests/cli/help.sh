# Every help page as printed without a terminal: 80 columns, standard output, status 0.
for command in '' train tag eval adapt cluster inspect convert features help manual completion version formats; do
    caucus help $command || echo "status $?"
    echo ----
done
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
