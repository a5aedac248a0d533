import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCsv } from './csv.ts';

test('I11: records become lines, and spreadsheet formulas become text', () => {
  const records = [
    { kind: 'a "quoted", text', amount: '-5.00', note: '=HYPERLINK("x")' },
    { kind: 'line\nbreak', amount: '1.00', note: null },
  ];
  assert.equal(toCsv(records), `kind,amount,note\r\n"a ""quoted"", text",-5.00,"'=HYPERLINK(""x"")"\r\n"line\nbreak",1.00,\r\n`);
});

test('an empty list is an empty file', () => assert.equal(toCsv([]), '\r\n'));
