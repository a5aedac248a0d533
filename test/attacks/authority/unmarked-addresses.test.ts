/** A signature in an address only reads, however the address is written, even if the wallet stands elsewhere or parsing fails. */
import { after, before, test } from 'node:test';
import { registerOwnedAgent } from '../../harness/agents.ts';
import { requireOutcomes, valuesOf } from '../../harness/authority.ts';
import { asQuery, call } from '../../harness/http.ts';
import { openMarket, type TestMarket, withOwnChains } from '../../harness/market.ts';
import { baseWallet, type SignatureFields, signed } from '../../harness/people.ts';

let market: TestMarket;
let url: string;
before(async () => {
  market = await openMarket(withOwnChains);
  ({ url } = market);
});
after(() => market.close());

const withoutWallet = ({ wallet_sig, wallet_sig_ts }: SignatureFields) => asQuery({ wallet_sig, wallet_sig_ts });
type Show = (fields: SignatureFields) => Promise<{ readonly status: number }>;

/** Calls that are refused, each with the signature and its time in the address. */
const refused: Readonly<Record<string, Show>> = {
  'whose path names the wallet': (fields) => call(url, `DELETE /api/auth/links/${fields.wallet}${withoutWallet(fields)}`),
  'whose body names the wallet': (fields) =>
    call(url, `POST /api/agents/recover${withoutWallet(fields)}`, { body: { wallet: fields.wallet } }),
  'whose body names the owner': (fields) =>
    call(url, `PATCH /api/agents/me${withoutWallet(fields)}`, { body: { owner_wallet: fields.wallet } }),
  'whose header names the wallet': (fields) =>
    call(url, `GET /api/orders${withoutWallet(fields)}`, { headers: { 'x-market-wallet': fields.wallet } }),
  'whose query calls the wallet an address': (fields) =>
    call(url, `GET /api/orders${asQuery({ address: fields.wallet, wallet_sig: fields.wallet_sig, wallet_sig_ts: fields.wallet_sig_ts })}`),
  'whose path has a lone percent sign': (fields) => fetch(`${url}/api/agents/100%${asQuery(fields)}`),
  'whose path is too long': (fields) => fetch(`${url}/api/agents/${'a'.repeat(400)}${asQuery(fields)}`),
  'whose query has white space around the wallet': (fields) =>
    call(url, `GET /api/orders${asQuery({ ...fields, wallet: ` ${fields.wallet}` })}`),
  'whose query has white space around the time': (fields) =>
    call(
      url,
      `GET /api/orders${asQuery({ wallet: fields.wallet, wallet_sig: fields.wallet_sig, wallet_sig_ts: ` ${fields.wallet_sig_ts}` })}`,
    ),
  'whose query has the signature in quotes': (fields) =>
    call(url, `GET /api/orders${asQuery({ ...fields, wallet_sig: `"${fields.wallet_sig}"` })}`),
  'whose query is JSON': (fields) => call(url, `GET /api/nothing-here?body=${encodeURIComponent(JSON.stringify(fields))}`),
  'whose query is JSON in base64': (fields) =>
    call(url, `GET /api/nothing-here?body=${Buffer.from(JSON.stringify(fields)).toString('base64url')}`),
};

for (const [what, show] of Object.entries(refused)) {
  test(`V01, V19: a signature copied from the address of a refused call recovers no key: a call ${what}`, async () => {
    const owner = baseWallet();
    const agent = await registerOwnedAgent(url, owner);
    const fields = await signed(owner);
    const shown = await show(fields);
    const stolen = await call(url, 'POST /api/agents/recover', { body: { ...fields } });
    requireOutcomes({
      'the call is refused': [shown.status >= 400, true],
      'recovery with the copy': [stolen, '401 signature_already_used'],
      'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
    });
  });
}

test('V01, V19: a signature copied from an address recovers no key, however many addresses the same client sent before', async () => {
  const owner = baseWallet();
  const agent = await registerOwnedAgent(url, owner);
  // The thief shares its client address with the victim: an office, a carrier, a proxy.
  const junk = { wallet: baseWallet().address, wallet_sig: '0x00', wallet_sig_ts: 1 };
  for (let sent = 0; sent < 301; sent += 1) await fetch(`${url}/nothing${asQuery(junk)}`).then((answer) => answer.arrayBuffer());
  const fields = await signed(owner);
  const shown = await call(url, `POST /api/agents/recover${asQuery(fields)}`);
  const stolen = await call(url, 'POST /api/agents/recover', { body: { ...fields } });
  requireOutcomes({
    'the call is refused': [shown.status >= 400, true],
    'recovery with the copy': [stolen, '401 signature_already_used'],
    'the key is shown': [valuesOf(stolen.body, 'api_key').includes(agent.key), false],
  });
});
