/** Hardware wallets can show every text that people sign, and the server recognises it to the byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActionMessage, actionMessageText, readActionMessage } from './action-message.ts';
import { signedActions } from './schema.ts';
import { custodySignedText, ordinarySignedText, siteSignedText } from './signed-text.ts';

const LONGEST_BYTES = 1_000;
const host = `${'market.'.repeat(10)}example.org`;
const wallets = { base: '0x52908400098527886E0F7030069857D2E4169EE7', solana: '7EqQdEULxWcraVx3mXKFjc84LhCkMGZCkRuDpvcMwJeK' } as const;
const timestampMs = 1_763_200_000_000;
/** The longest account id of an identity provider, and the longest label that is shown. */
const account = `user_${'7'.repeat(123)}`;
const accountLabel = `${'a'.repeat(52)}@example.org`;

function messages(): ActionMessage[] {
  return signedActions.flatMap((action) =>
    (['base', 'solana'] as const).map((chain) => ({
      action,
      ...(action.startsWith('link') && { account, accountLabel }),
      ...(action.endsWith('agent') && { agentId: 'ext_1700000000000_k3v9x1q7a' }),
      origin: `https://${host}`,
      serviceName: 'A marketplace with a name of forty letters',
      chain,
      wallet: wallets[chain],
      chainId: chain === 'base' ? '8453' : 'mainnet',
      nonce: '9c1e5a7740d2b86f03a1d4c2e7f98b60',
      issuedAt: '2026-11-17T22:00:00.000Z',
      expiresAt: '2026-11-17T22:05:00.000Z',
    })),
  );
}

test('every text to sign is ASCII under 1,000 bytes, also with long names', async () => {
  const call = { host, timestampMs, method: 'DELETE', path: `/api/agents/${'slug'.repeat(20)}/payers` };
  const texts = await Promise.all(
    Object.values(wallets).flatMap((wallet) => [
      ordinarySignedText(wallet, timestampMs),
      siteSignedText({ ...call, wallet }),
      custodySignedText({ ...call, wallet, body: { note: 'Grüße 🎈' } }),
    ]),
  );
  const strange = messages().map((message) => ({ ...message, serviceName: 'Märkte 🎈', accountLabel: 'grüße@example.org' }));
  for (const text of [...texts, ...[...messages(), ...strange].map(actionMessageText)]) {
    assert.match(text, /^[\x20-\x7e\n]+$/);
    assert.ok(Buffer.byteLength(text) < LONGEST_BYTES, `${Buffer.byteLength(text)} bytes: ${text}`);
  }
});

test('an action message is read back as written, and is refused after any change', () => {
  for (const message of messages()) {
    const text = actionMessageText(message);
    const read = readActionMessage(text);
    assert.deepEqual(read, { ...message, ...(message.action !== 'session' && { serviceName: '' }) });
    const lines = text.split('\n');
    for (const at of lines.keys()) assert.equal(readActionMessage(lines.toSpliced(at, 1).join('\n')), undefined, `without line ${at}`);
    assert.equal(readActionMessage(text.replace('wallet', 'purse').replace('Sign in', 'Log in')), undefined);
    assert.equal(readActionMessage(`${text}\nResources:\n- https://bank.example`), undefined);
    assert.equal(readActionMessage(text.replace(/^URI: .*$/m, 'URI: https://bank.example')), undefined);
  }
});
