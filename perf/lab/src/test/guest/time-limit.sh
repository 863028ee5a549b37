# Ends later than any time limit of a test.
echo before
sleep 600
echo after
