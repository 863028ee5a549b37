# A machine that dies under its script.
echo before
echo c > /proc/sysrq-trigger
