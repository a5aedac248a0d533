/** The code of the “Hire by machine” tab runs unchanged. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { call } from '../harness/http.ts';
import { openMarket, type TestMarket, withChains } from '../harness/market.ts';
import { listService, openBuyer, openProvider } from '../harness/orders.ts';

const run = promisify(execFile);
const SDK = path.join(import.meta.dirname, '..', '..', 'packages', 'sdk', 'src', 'index.ts');

describe('a program copied from the service page', () => {
  let market: TestMarket;
  let service: string;
  let snippets: readonly string[];
  before(async () => {
    market = await openMarket(withChains);
    service = await listService(market.url, await openProvider(market.url), { price_usd: '5.00' });
    const moved = await fetch(`${market.url}/services/${service}`);
    snippets = [...(await moved.text()).matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, code]) => plain(code ?? ''));
  });
  after(async () => {
    await market.close();
  });

  /** Pays the 402 and returns the transaction. */
  async function pay(): Promise<string> {
    const buyer = await openBuyer(market, 'base-mainnet');
    const asked = await call(market.url, `GET /api/x402/discover/${service}?chain=base`);
    const [offer] = asked.body['accepts'];
    assert.equal(offer.maxAmountRequired, '5500000');
    return await buyer.payer.pay(offer.payTo, 5_500_000n);
  }

  test('the curl lines of the service page get the price and hire', async () => {
    const [ask = '', hire = ''] = (snippets.find((snippet) => snippet.includes('curl')) ?? '').split('\n\n');
    const asked = JSON.parse((await run('bash', ['-c', ask])).stdout);
    assert.equal(asked.accepts[0].maxAmountRequired, '5500000');
    const hired = JSON.parse((await run('bash', ['-c', hire], { env: { ...process.env, TX: await pay() } })).stdout);
    assert.equal(hired.data?.status, 'paid', JSON.stringify(hired));
  });

  test('the SDK lines of the service page hire', async () => {
    const snippet = snippets.find((code) => code.includes('createMarketClient')) ?? '';
    const folder = await mkdtemp(path.join(tmpdir(), 'market-snippet-'));
    try {
      const file = path.join(folder, 'hire.mjs');
      const source = snippet.replace("'@market/sdk'", JSON.stringify(pathToFileURL(SDK).href));
      await writeFile(file, `const transaction = process.env.TX;\n${source}\n`);
      const { stdout } = await run(process.execPath, [file], { env: { ...process.env, TX: await pay() } });
      assert.match(stdout, /^ord_\S+ http/);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

function plain(code: string): string {
  const entities: Record<string, string> = { '&quot;': '"', '&#x27;': "'", '&lt;': '<', '&gt;': '>', '&amp;': '&' };
  return code.replace(/<[^>]*>/g, '').replace(/&(quot|#x27|lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}
