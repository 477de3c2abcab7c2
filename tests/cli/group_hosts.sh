# Processes on several hosts: network namespaces with a name of their own, joined by a bridge. Memory is not shared among them, and
# outputs cross. Links have a delay of 5 ms where the kernel can do so.
. "$ORDO_SOURCE/tests/cli/lib.sh"
needs_mpi
name=o$$
if ! command -v ip > /dev/null || ! ip netns add $name-1 2> /dev/null; then
  echo 'no network namespaces: that takes iproute2 and root'
  exit 77
fi
hosts=3 pid=$BASHPID
leave() {
  [[ $BASHPID == "$pid" ]] || return 0
  for ((i = 1; i <= hosts; ++i)); do
    ip netns pids $name-$i 2> /dev/null | xargs -r kill -9 || true
    ip netns del $name-$i 2> /dev/null || true
  done
  ip link del $name 2> /dev/null || true
}
trap leave EXIT
ip link add $name type bridge
ip link set $name up
list=
for ((i = 1; i <= hosts; ++i)); do
  ((i == 1)) || ip netns add $name-$i
  ip link add $name$i type veth peer name eth0 netns $name-$i
  ip link set $name$i master $name up
  ip -n $name-$i address add 10.200.177.$i/24 dev eth0
  ip -n $name-$i link set eth0 up
  ip -n $name-$i link set lo up
  tc -n $name-$i qdisc add dev eth0 root netem delay 5ms 2> /dev/null || true
  list+=${list:+,}10.200.177.$i:2
done

# What Open MPI calls in place of ssh.
cat > agent << END
#!/usr/bin/env bash
host=\$1
shift
exec ip netns exec $name-\${host##*.} unshare --uts bash -c "hostname host\${host##*.}; \$*"
END
chmod +x agent
hosts_run() {
  ip netns exec $name-1 unshare --uts bash -c 'hostname host1; exec "$@"' _ mpirun --allow-run-as-root \
    --mca plm_rsh_agent "$PWD/agent" --mca oob_tcp_if_include eth0 --mca btl_tcp_if_include eth0 --mca btl tcp,self,vader \
    --host "$list" -n 6 "$@"
}
[[ $(hosts_run hostname | sort -u | tr '\n' ' ') == 'host1 host2 host3 ' ]] || { echo 'the namespaces are no hosts'; exit 1; }

ordo_generate strings --set=url --scale=0.1 -q -o urls
strsort -u urls > one
hosts_run strsort -u urls -o several
cmp one several
hosts_run strsort -u urls | cmp one -
ordo_generate genome --length=1m -q -o genome.fa
sufsort build -q genome.fa -o one --lcp --bwt
hosts_run sufsort build -q genome.fa -o several --lcp --bwt
for array in sa lcp bwt; do cmp one.$array several.$array; done

# A process that dies on another host ends all, and leaves no output.
rm -f several out
for _ in {1..20}; do cat urls; done > large
begin=$SECONDS
hosts_run strsort large large -o out 2> err &
job=$!
for ((i = 0; i < 100; ++i)); do
  victim=$(ip netns pids $name-3 | while read -r p; do [[ $(cat /proc/"$p"/comm 2> /dev/null) != strsort ]] || echo "$p"; done | sed -n 1p)
  [[ -z $victim ]] || break
  sleep 0.1
done
sleep 0.3
kill -9 "$victim"
! job_succeeded $job || { echo 'a member died, and the job succeeded'; exit 1; }
((SECONDS - begin <= 15)) || { echo 'the others went on'; exit 1; }
[[ ! -e out ]]
if find . -name '.*ordo*' | grep .; then echo 'a temporary file is left'; exit 1; fi
