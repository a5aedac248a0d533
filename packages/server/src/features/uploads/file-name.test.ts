import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanFileName, downloadName } from './file-name.ts';

test('a cleaned name keeps ordinary text and loses deceptive characters', () => {
  const names: readonly (readonly [given: string, cleaned: string])[] = [
    ['Entwurf – März (2).pdf', 'Entwurf – März (2).pdf'],
    ['日本語 ファイル.txt', '日本語 ファイル.txt'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\x\\photo.png', 'photo.png'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['a\u0000\u0007\u200bb\ufeff.txt', 'ab.txt'],
    ['  . .hidden. . ', 'hidden'],
    ['a<b>:"c"|?*.txt', 'a_b___c____.txt'],
    ['con.txt', '_con.txt'],
    ['LPT1', '_LPT1'],
    ['console.txt', 'console.txt'],
    ['', 'file'],
    ['...', 'file'],
    ['\ud800x', 'x'],
    [`${'é'.repeat(500)}.png`, `${'é'.repeat(196)}.png`],
  ];
  for (const [given, cleaned] of names) assert.equal(cleanFileName(given), cleaned, JSON.stringify(given));
});

test('a download name ends in the extension of its content type', () => {
  const cases = [
    ['logo.png', 'image/png', 'logo.png'],
    ['photo.JPEG', 'image/jpeg', 'photo.JPEG'],
    ['evil.html', 'image/png', 'evil.html.png'],
    ['notes', 'text/plain', 'notes.txt'],
    ['main.rs', 'text/plain', 'main.rs.txt'],
    ['data.py', 'text/x-python', 'data.py'],
    ['report.exe', 'application/pdf', 'report.exe.pdf'],
  ] as const;
  for (const [name, contentType, offered] of cases) assert.equal(downloadName(name, contentType), offered);
});
