// What the demo puts into the workspace: a small port, its ferries, and what was written about a cold
// January.
export const FILES: Readonly<Record<string, string>> = {
  'data/ferries.csv': [
    'day,departures,late,passengers',
    ...['12,1,410', '12,0,395', '12,2,402', '12,1,388', '4,4,120', '3,3,96', '2,2,71', '4,3,133', '11,2,350', '12,1,401', '12,1,401'].map(
      (row, at) => `2026-01-${String(Math.min(at, 9) + 5).padStart(2, '0')},${row}`,
    ),
    '',
  ].join('\n'),
  'notes/harbour.md':
    '# Harbour log\n\nThe harbour froze on the ninth of January.\n\n## Ferries\n\nFerries were late or cancelled until the icebreaker came on the twelfth.\n',
  'notes/market.md': '# Market\n\nThe fish market by the harbour moved indoors while the ferries were late.\n',
  'notes/choir.md': '# Choir\n\nRehearsals are on Tuesdays.\n',
};

/** Untrusted code. It tries the network, too. */
export const CODE = `
import csv, socket, sys
rows = list(csv.DictReader(open(sys.argv[1])))
late = [r for r in rows if int(r["late"]) / int(r["departures"]) > 0.5]
print(f"{len(late)} of {len(rows)} days had most ferries late, from {late[0]['day']} to {late[-1]['day']}")
try:
    socket.create_connection(("1.1.1.1", 53), timeout=2)
    print("the network answered")
except OSError as error:
    print("no network here:", type(error).__name__)
`;
