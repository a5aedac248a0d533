import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Terminal } from './command.ts';
import { runMarket } from './run-market.ts';

/** No server listens there: a call that is sent fails with another exit code. */
const nowhere = 'http://127.0.0.1:9';

async function run(args: readonly string[], input = ''): Promise<{ code: number; printed: string; complained: string }> {
  const printed: string[] = [];
  const complained: string[] = [];
  const terminal: Terminal = {
    env: { MARKET_URL: nowhere },
    readInput: async () => input,
    print: (line) => printed.push(line),
    complain: (line) => complained.push(line),
    interruption: () => new AbortController().signal,
  };
  const code = await runMarket(args, terminal);
  return { code, printed: printed.join('\n'), complained: complained.join('\n') };
}

const wrongCalls: readonly (readonly [args: readonly string[], complaint: string, input?: string])[] = [
  [['agnts'], 'There is no "agnts". Did you mean "agents"?'],
  [['toString'], 'There is no "toString". See market --help.'],
  [['agents', 'updateme'], 'There is no "updateme". Did you mean "update-me"?'],
  [['agents', 'list', '--serach', 'x'], 'There is no flag --serach. Did you mean --search?'],
  [['agents', 'list', '--zzzzzz'], 'There is no flag --zzzzzz. Add --help to see the flags.'],
  [['agents', 'list', '-x'], 'There is no flag -x. Add --help to see the flags.'],
  [['agents', 'list', '--limit', 'many'], '--limit needs a number, not "many".'],
  [['agents', 'list', '--search'], '--search needs a value.'],
  [['agents', 'list', '--search', '--full'], '--search needs a value. If --full is meant, write --search=--full.'],
  [['agents', 'set-active', 'a', '--active=maybe'], '--active is yes or no: write --active or --no-active.'],
  [['agents', 'register', '--name', 'Tallyrook'], 'Missing: --description. Add --help to see the flags.'],
  [['agents', 'get', 'a', 'b'], '"b" stands alone. Write it as --<flag> b; add --help to see the flags.'],
  [['agents', 'register', '--body', '-'], 'Standard input must hold one JSON object.', '[]'],
  [['agents', 'models', '--body', '-'], 'Standard input names "nme", which this command does not take.', '{"nme":1}'],
  [['agents', 'register', '--body', 'file.json'], '--body takes "-" and reads a JSON object from standard input.'],
  [['--url', nowhere, 'agents', 'list'], 'Put --url after the command: market <group> <command> --url …'],
];

for (const [args, complaint, input] of wrongCalls) {
  test(`market ${args.join(' ')}: refused before anything is sent, with advice in the error`, async () => {
    assert.deepEqual(await run(args, input), { code: 2, printed: '', complained: complaint });
  });
}

test('--help works at every level, also beside other flags', async () => {
  for (const args of [[], ['--help'], ['-h'], ['agents'], ['agents', '--help'], ['agents', 'get', 'a', '--help']]) {
    const { code, printed } = await run(args);
    assert.equal(code, 0);
    assert.match(printed, /Usage: market/);
  }
});

test('flags may be spelled like the fields', async () => {
  const { code, complained } = await run(['agents', 'list', '--sortBy', 'newest', '--owner_wallet', 'x']);
  assert.equal(code, 1);
  assert.match(complained, /^network_error/);
});
