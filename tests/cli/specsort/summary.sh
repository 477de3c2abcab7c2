# specsort --summary: what is in an input, for people and for programs.
. "$ORDO_SOURCE/tests/cli/lib.sh"

printf 'BEGIN IONS\nTITLE=one\nPEPMASS=500.25\nCHARGE=2+\nRTINSECONDS=12.5\n3.5 1\n1.5 0\n3.5 2\nEND IONS\n' > in.mgf
printf 'BEGIN IONS\nPEPMASS=400\nMSLEVEL=2\n7\nEND IONS\nBEGIN IONS\nEND IONS\n' >> in.mgf
cat > table << 'END'
in.mgf
spectra                 3
  in order of m/z       2 (66.67%)
  without peaks         1 (33.33%)
  with a title          1 (33.33%)
  with a scan           0 (0%)
peaks                   4
  of intensity 0        1 (25%)
  without intensity     1 (25%)
  of an m/z seen before 1 (25%)
m/z                     1.5 to 7
intensity               0 to 2
precursor m/z           400 to 500.25, 1 without
retention time, s       12.5 to 12.5, 2 without
charges                 none: 2, 2+: 1
MS levels               2: 1, 2 without
peaks a spectrum        0 to 3, median 1, mean 1.3
                   0  ######################################## 1
                   1  ######################################## 1
                 2-3  ######################################## 1
END
expect 0 specsort --summary in.mgf; cmp out table
expect 0 specsort in.mgf --summary; cmp out table
[[ ! -s err ]] || fail "stderr: $(< err)"
expect 0 specsort - --summary < in.mgf; sed 1d table | cmp - <(sed 1d out)
: > empty; expect 0 specsort --summary empty; grep -q '^spectra  *0$' out

if [[ $(command -v python3) ]]; then
  expect 0 specsort --summary=json in.mgf --stats report.json
  python3 - << 'END'
import json
found = json.load(open('out'))
assert found['spectra'] == 3 and found['spectra_in_order'] == 2 and found['peaks'] == 4 and found['lines'] == 16, found
assert found['mz'] == {'least': 1.5, 'greatest': 7.0, 'count': 4}, found
assert found['charges'] == {'none': 2, '2': 1} and found['ms_levels'] == {'2': 1}, found
assert found['peaks_a_spectrum']['histogram'][2] == {'from': 2, 'to': 3, 'spectra': 1}, found
END
  expect 0 specsort --summary=json empty
  python3 -c "import json; found = json.load(open('out')); assert found['mz'] is None and found['spectra'] == 0"
fi

# A parameter that is no number is warned of; peaks that are none are errors, as ever.
printf 'BEGIN IONS\nPEPMASS=1,5\n1 1\nEND IONS\n' > comma.mgf
expect 0 specsort --summary comma.mgf
[[ $(< err) == "specsort: warning: decimal comma: comma.mgf:2: 'PEPMASS=1,5'; a point is expected" ]] || fail "$(< err)"
printf 'BEGIN IONS\n1,5 1\nEND IONS\n' > comma.mgf
expect_error specsort --summary comma.mgf
printf '<mzML>\n' > spectra.mzML
expect_error specsort --summary spectra.mzML
expect_error specsort --summary=xml in.mgf
expect_error specsort --summary --check in.mgf
expect_error specsort --summary in.mgf -o result
expect_error specsort --summary in.mgf --spectra-by rt
expect_error specsort --check in.mgf --ms-level 2
expect_error specsort --summary in.mgf --report page.html
expect_error specsort --report in.mgf in.mgf; grep -q "it would replace the input" err
expect_error specsort --report no/such.html in.mgf
expect_error specsort --report page.html in.mgf --spectra-by rt; grep -q "without --output" err

# A page beside an output: the page is the one without it, but for its command, and the output the one without a page.
expect 0 specsort in.mgf --top 1 --report alone.html
expect 0 specsort in.mgf --top 1 -o alone.mgf
expect 0 specsort in.mgf --top 1 -o beside.mgf --report beside.html
cmp alone.mgf beside.mgf; diff <(grep -v '<code>' alone.html) <(grep -v '<code>' beside.html)
expect 0 specsort in.mgf in.mgf --top 1 --unique-spectra --spectra-by pepmass -o both.mgf --report both.html
grep -q -- '--unique-spectra' both.html; grep -q '<td>6</td><td>3</td>' both.html
rm beside.*
expect_error specsort - --top 1 -o beside.mgf --report beside.html < in.mgf; grep -q "cannot read twice" err
expect_error specsort in.mgf comma.mgf -o beside.mgf --report beside.html
expect_error specsort in.mgf --report - -o -; [[ ! -s out ]] || fail "two outputs in one"
expect_error specsort in.mgf --report in.mgf -o beside.mgf; grep -q "it would replace the input" err
expect_error specsort in.mgf --report beside.html -o no/such.mgf
[[ ! -e beside.mgf && ! -e beside.html ]] || fail "an output of a command that failed"
expect_error specsort --quiet=false in.mgf

# Before and after filters, side by side.
cat > table << 'END'
in.mgf
                        before                      after
spectra                 3                           2
  in order of m/z       2 (66.67%)                  2 (100%)
  without peaks         1 (33.33%)                  0 (0%)
  with a title          1 (33.33%)                  1 (50%)
  with a scan           0 (0%)                      0 (0%)
peaks                   4                           2
  of intensity 0        1 (25%)                     0 (0%)
  without intensity     1 (25%)                     1 (50%)
  of an m/z seen before 1 (25%)                     0 (0%)
m/z                     1.5 to 7                    3.5 to 7
intensity               0 to 2                      3 to 3
precursor m/z           400 to 500.25, 1 without    400 to 500.25
retention time, s       12.5 to 12.5, 2 without     12.5 to 12.5, 1 without
charges                 none: 2, 2+: 1              none: 1, 2+: 1
MS levels               2: 1, 2 without             2: 1, 1 without
peaks a spectrum        0 to 3, median 1, mean 1.3  1 to 1, median 1, mean 1.0
                   0  ##########                      1                                  0
                   1  ##########                      1  ####################            2
                 2-3  ##########                      1                                  0
taken away by                                spectra           peaks
  --drop-zero                                      0               1
  --merge 0                                        0               1
  --min-peaks 1                                    1               0
END
expect 0 specsort --summary in.mgf --drop-zero --merge 0 --min-peaks 1; cmp out table

if [[ $(command -v python3) ]]; then
  cat > check.py << 'END'
"""check.py SAMPLE OPTION...: the summary before and after is that of the files, and the report shows its numbers."""
import collections, html.parser, json, math, re, subprocess, sys
sample, options = sys.argv[1], sys.argv[2:]

def specsort(*words):
    return subprocess.run(['specsort', '--quiet', *words], stdout=subprocess.PIPE, check=True).stdout

def summary(name, *words):
    return json.loads(specsort('--summary=json', name, *words))

kind = 'mzML' if 'mzML' in sample else 'mgf'
found, name = summary(sample, *options), 'after.' + kind
assert found['before'] == summary(sample), 'before'
specsort(sample, *options, '-o', name)
wanted = summary(name)
for input in 'name', 'bytes', 'lines', 'warnings':
    del wanted[input]
assert found['after'] == wanted, (found['after'], wanted)
for count in 'spectra', 'peaks':
    taken = sum(step[count] for step in found['steps'])
    assert found['before'][count] - taken == found['after'][count], (count, found['steps'])
# Each step takes what a command without it, and without those after it, leaves.
words, last = [], found['before']
for step in found['steps']:
    words += step['option'].split()
    now = summary(sample, *words)['after']
    assert (last['spectra'] - now['spectra'], last['peaks'] - now['peaks']) == (step['spectra'], step['peaks']), step
    last = now

specsort(sample, *options, '--report', 'page.html')
page = open('page.html', encoding='utf-8').read()
assert not re.search(r'<script|https?://|src=|@import|<link', page), 'the page needs other files'

class Reader(html.parser.HTMLParser):
    """Tables, and the titles of the rectangles of each chart."""
    def __init__(self):
        super().__init__()
        self.open, self.tables, self.charts, self.text = [], {}, {}, ''
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == 'table':
            self.rows = self.tables[attributes['id']] = []
        elif tag == 'tr':
            self.rows.append([])
        elif tag == 'svg':
            self.titles = self.charts[attributes['aria-label']] = []
        if tag != 'meta':
            self.open.append(tag)
        self.text = ''
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f'line {self.getpos()}: </{tag}>'
        if tag in ('td', 'th'):
            self.rows[-1].append(self.text)
        if tag == 'title' and self.open[-1] == 'rect':
            self.titles.append(self.text)
    def handle_startendtag(self, tag, attributes):
        pass
    def handle_data(self, data):
        self.text += data

reader = Reader()
reader.feed(page)
assert not reader.open, reader.open
number = lambda text: int(text.replace(',', ''))
rows = {row[0]: row[1:] for row in reader.tables['summary']}
assert [number(rows['peaks'][0]), number(rows['peaks'][1])] == [found['before']['peaks'], found['after']['peaks']], rows
steps = [(row[0], number(row[1]), number(row[2])) for row in reader.tables['steps'][1:]]
assert steps == [(step['option'], step['spectra'], step['peaks']) for step in found['steps']], steps
assert number(reader.tables['order'][0][1]) == found['before']['spectra_in_order']

def bars(chart):
    counts = {'before': collections.Counter(), 'after': collections.Counter()}
    for title in reader.charts[chart]:
        label, series, count = re.fullmatch(r'(.*), (before|after): ([0-9,]+)', title).groups()
        counts[series][label] = number(count)
    return counts

for series in 'before', 'after':
    of = found[series]
    histogram = {one['from']: one['spectra'] for one in of['peaks_a_spectrum']['histogram'] if one['spectra']}
    assert {number(label.split('-')[0]): n for label, n in bars('peaks a spectrum')[series].items()} == histogram, series
    assert sum(bars('peaks by m/z')[series].values()) == of['peaks'], series
    if kind == 'mgf':
        text = specsort(sample) if series == 'before' else open(name, 'rb').read()
        peaks = [list(map(float, line.split()[:2])) for line in text.splitlines() if re.match(rb'[0-9]', line)]
        width = int(re.search(r'in bars of ([0-9]+) m/z', page)[1])
        assert bars('peaks by m/z')[series] == collections.Counter(str(int(mz // width * width)) for mz, _ in peaks), series
        octaves = bars('peaks by intensity')[series]
        for label, count in octaves.items():
            exact = sum(2.0 ** k <= height < 2.0 ** (k + 1) for k in [round(math.log2(float(label)))]
                        for _, height in peaks)
            assert exact == count, (label, exact, count)
        assert sum(octaves.values()) == sum(height > 0 for _, height in peaks)
    cells = reader.charts['Retention time and precursor m/z, ' + series]
    # Spectra of the samples have both values, or none has a retention time.
    both = of['rt_seconds'] and min(of['rt_seconds']['count'], of['precursor_mz']['count']) or 0
    assert sum(number(title.rpartition(': ')[2]) for title in cells) == both, (series, both)
END
  samples=$ORDO_SOURCE/datasets/samples
  python3 check.py "$samples/massbank_cc0.mgf.gz" --precursor 200:300 --title '!*HB0001*' --min-relative 0.05 --top 6 --around 50 --min-peaks 4
  python3 check.py "$samples/xtandem_yeast.mgf.gz" --sample 20% --preset casanovo --by intensity --descending
  python3 check.py "$samples/openms_ecoli_25.mzML.gz" --charge 2 --preset dreams --merge 0.5
  expect 0 specsort "$samples/openms_ecoli.mgf.gz" --report page.html; grep -q '<h2>Retention time and precursor m/z</h2>' page.html
  expect 0 specsort empty --report page.html --top 5; grep -q '<td>0</td><td>0</td>' page.html
  expect 0 specsort "$samples/massbank_cc0.mgf.gz" --report page.html --threads 1; mv page.html one
  expect 0 specsort "$samples/massbank_cc0.mgf.gz" --report page.html; diff <(grep -v '<code>' one) <(grep -v '<code>' page.html)
fi

# Of a run to MGF the page counts what MGF gets, after each of the filters, and once for each ion.
term() { printf '<cvParam cvRef="MS" accession="MS:%s" name="x" value="%s"/>' "$1" "$2"; }
ion() { printf '<selectedIon>%s</selectedIon>' "$(term 1000744 "$1")"; }
array() { printf '<binaryDataArray encodedLength="16">%s%s%s<binary>%s</binary></binaryDataArray>' "$(term 1000521 '')" "$(term 1000576 '')" "$(term "$1" '')" "$2"; }
scan() { # scan NUMBER LEVEL PRECURSORS: three peaks, of which the last has an infinite intensity
  printf '<spectrum index="%s" id="scan=%s" defaultArrayLength="3">%s' "$1" "$1" "$(term 1000511 "$2")"
  [[ ! $3 ]] || printf '<precursorList count="1"><precursor><selectedIonList count="1">%s</selectedIonList></precursor></precursorList>' "$3"
  printf '<binaryDataArrayList count="2">%s%s</binaryDataArrayList></spectrum>\n' "$(array 1000514 AADIQgAASEMAAJZD)" "$(array 1000515 AACAPwAAAEAAAIB/)"
}
{
  printf '<mzML xmlns="http://psi.hupo.org/ms/mzml" version="1.1.0"><run id="r"><spectrumList count="5" defaultDataProcessingRef="d">\n'
  scan 0 1 ''; scan 1 2 "$(ion 500.25)$(ion 600.5)"; scan 2 2 ''; scan 3 1 ''; scan 4 3 "$(ion 400.5)"
  printf '</spectrumList></run></mzML>\n'
} > levels.mzML
numbers() { sed -n 's#^<tr><th[^>]*>\(spectra\|peaks\)</th><td>\([0-9,]*\)</td><td>\([0-9,]*\)</td></tr>$#\1 \2 \3#p' page.html | tr '\n' ';'; }
step() { sed -n "s|^<tr><td><code>$1</code></td><td class=\"number\">\([0-9]*\)</td><td class=\"number\">\([0-9]*\)</td>.*|\1 \2|p" page.html; }
expect 0 specsort levels.mzML --top 1 --precursors first -o levels.mgf --report page.html
[[ $(numbers) == 'spectra 5 2;peaks 15 2;' && $(step '--to mgf') == '3 11' ]] || fail "a page of a run: $(numbers) $(step '--to mgf')"
[[ $(grep -c BEGIN levels.mgf) == 2 && $(grep -c '^200 2' levels.mgf) == 2 ]] || fail "MGF of a run: $(< levels.mgf)"
expect 0 specsort levels.mzML --min-intensity 2 --precursors all -o levels.mgf --report page.html
[[ $(numbers) == 'spectra 5 3;peaks 15 3;' && $(step '--to mgf') == '3 11' && $(step '--min-intensity 2') == '0 2' ]] || fail "a page of ions: $(numbers)"
[[ $(grep -c BEGIN levels.mgf) == 3 && $(grep -c '^[0-9]' levels.mgf) == 3 ]] || fail "MGF of ions: $(< levels.mgf)"
expect 0 specsort levels.mzML in.mgf --scan '!1' --to mgf -o levels.mgf --report page.html --quiet
[[ $(numbers) == 'spectra 8 4;peaks 19 6;' && $(step '--scan !1') == '1 3' && $(step '--to mgf') == '3 10' ]] || fail "a page of both: $(numbers)"
[[ $(grep -c BEGIN levels.mgf) == 4 ]] || fail "MGF of both: $(< levels.mgf)"
expect 0 specsort in.mgf levels.mzML --scan '!1' --to mgf -o levels.mgf --report page.html --quiet
[[ $(numbers) == 'spectra 8 4;peaks 19 6;' && $(step '--to mgf') == '3 10' ]] || fail "a page of both, turned round: $(numbers)"
for how in '-o kept.mzML' ''; do
  # shellcheck disable=SC2086
  expect 0 specsort levels.mzML --top 1 --report page.html $how
  [[ $(numbers) == 'spectra 5 5;peaks 15 5;' && ! $(step '--to mgf') ]] || fail "a page of mzML: $(numbers)"
done

# A name that is not UTF-8, and a long one, in the page, the summary and the stats.
name=$'odd \xff\xc3\xa9\xe2\x82 <&"\a'; cp in.mgf "$name.mgf"
expect 0 specsort "$name.mgf" --top 1 -o odd.mgf --report page.html --stats stats.json
grep -q $'<title>Spectra of odd \xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd &lt;&amp;&quot;\xef\xbf\xbd.mgf</title>' page.html || fail "$(grep -a title page.html)"
expect 0 specsort "$name.mgf" --summary=json; mv out summary.json
if [[ $(command -v python3) ]]; then
  python3 -c 'import json, sys; [open(name, encoding="utf-8").read() for name in sys.argv[1:]]; [json.load(open(name)) for name in sys.argv[2:]]' \
    page.html stats.json summary.json
fi
expect 0 specsort "$name.mgf" in.mgf --map odd.map -o odd.mgf --quiet
expect 0 specsort "$name.mgf" in.mgf --index odd.map -o again.mgf --quiet; cmp odd.mgf again.mgf

# Labels of charts neither touch nor leave the chart, whatever the numbers are.
if [[ $(command -v python3) ]]; then
  for ((i = 0; i < 13; ++i)); do
    printf 'BEGIN IONS\nPEPMASS=%s\nRTINSECONDS=%s\n' $((1 << i)) $((i * 100000))
    seq $((1 << i)) | sed 's/$/ 1e&/' | awk '{ print 100000 + $1, 3 * $1 }'
    printf 'END IONS\n'
  done > wide.mgf
  expect 0 specsort wide.mgf --top 5000 --report page.html
  python3 - << 'END'
import re
page = open('page.html', encoding='utf-8').read()
charts = re.findall(r'<svg viewBox="0 0 800 260".*?</svg>', page, re.S)
assert len(charts) == 5, len(charts)
digit = 6.7  # of a font of 12 pixels: sans-serif has 5.9 to 7.6
for chart in charts:
    lines = {}
    for x, y, anchor, text in re.findall(r'<text x="([0-9.]+)" y="([0-9.]+)" text-anchor="(\w+)">(.*?)</text>', chart):
        width = len(text) * digit
        begin = float(x) - {'start': 0, 'middle': width / 2, 'end': width}[anchor]
        lines.setdefault(y, []).append((begin, begin + width, text))
    for labels in lines.values():
        labels.sort()
        assert labels[0][0] >= 0 and labels[-1][1] <= 800, labels
        assert all(a[1] < b[0] for a, b in zip(labels, labels[1:])), labels
assert '2,048-4,095' in page
END
fi

# By all threads and one the same.
for sample in "$ORDO_SOURCE"/datasets/samples/*.mgf*; do
  expect 0 specsort --summary=json "$sample" --threads 1; mv out one
  expect 0 specsort --summary=json "$sample"; cmp out one
done

# mzML: compressed, and what MGF of it says of the same spectra. specsort_mzml.sh has it against a reference.
gzip -dc "$ORDO_SOURCE/datasets/samples/openms_ecoli_25.mzML.gz" > run.mzML
expect 0 specsort --summary run.mzML; sed 1d out > table
grep -q '^MS levels               2: 25$' table || fail "mzML: $(< out)"
for how in gzip bgzip 'zstd -q'; do
  $how -c run.mzML > packed
  expect 0 specsort --summary packed; sed 1d out | cmp - table
  expect 0 specsort --summary - < <(cat packed); sed 1d out | cmp - table
done
head -c 100000 run.mzML > cut; expect_error specsort --summary cut
expect 0 specsort run.mzML --to mgf -o run.mgf
expect 0 specsort --summary run.mgf
diff <(sed '1d; s/^MS levels.*//; s/^intensity.*//' out) <(sed 's/^MS levels.*//; s/^intensity.*//' table) ||
  fail 'not as of MGF'
no_leftovers
