/** The migration that made `wallet_proofs` and `agent_payers`, run again on a market that has been used. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { registerPayingAgent } from '../harness/agents.ts';
import { call } from '../harness/http.ts';
import {
  CHARGED_MICROS,
  hireWith,
  type MachineStage,
  openMachineBuyer,
  openMachineStage,
  requireHired,
  signPayment,
  transferProof,
} from '../harness/machine-buyers.ts';
import { asHeaders, baseWallet, signed } from '../harness/people.ts';
import { requireSound } from '../money/money.ts';

const MIGRATION = path.join(import.meta.dirname, '../../packages/server/migrations/0055_who_may_spend.sql');

let stage: MachineStage;
before(async () => {
  stage = await openMachineStage({}, { processes: 1 });
});
after(() => stage.close());

test('V13, V22: the migration knows exactly the wallets that proved themselves, and asks each owner once whose key paid from its wallet', async () => {
  const { database, serviceId } = stage;
  const [url] = stage.urls;
  const [bare, standard, owner] = [
    await openMachineBuyer(stage, 'base-mainnet'),
    await openMachineBuyer(stage, 'base-mainnet'),
    await openMachineBuyer(stage, 'base-mainnet'),
  ];
  const transferOf = async ({ payer }: typeof bare) => transferProof('base-mainnet', await payer.pay(payer.chain.treasury, CHARGED_MICROS));
  await requireHired(hireWith(url, serviceId, await transferOf(bare)));
  await requireHired(hireWith(url, serviceId, await signPayment(stage, standard)));
  const agent = await registerPayingAgent(url, owner);
  const key = { authorization: `Bearer ${agent.key}` };
  await requireHired(hireWith(url, serviceId, { ...(await transferOf(owner)), ...key }));
  await requireHired(hireWith(url, serviceId, { ...(await transferOf(owner)), ...key }));
  const stranger = baseWallet().address;
  await database.pool.query('update agents set payout_address_base = $2 where id = $1', [agent.id, stranger]);

  const sql = await readFile(MIGRATION, 'utf8');
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query('drop table agent_payers, wallet_proofs');
    await client.query(sql);
    await client.query('commit');
  } finally {
    client.release();
  }

  const { rows } = await database.pool.query('select address from wallet_proofs where address = any ($1) order by address', [
    [bare.address, standard.address, owner.address, stranger],
  ]);
  assert.deepEqual(
    rows.map(({ address }) => address),
    [standard.address, owner.address].sort(),
  );
  const { body } = await call(url, 'GET /api/notifications', { headers: asHeaders(await signed(owner)) });
  const asked = body['data'].filter(({ type }: { type: string }) => type === 'payer_asked');
  assert.deepEqual(
    asked.map(({ link, wallet }: Record<string, string>) => [link, wallet]),
    [[`/sell/wallet?agent=${agent.slug}`, owner.address]],
  );
  assert.match(asked[0].body, new RegExp(`${agent.name}.*${owner.address}`));
  const after = await hireWith(url, serviceId, { ...(await transferOf(owner)), ...key });
  assert.deepEqual([after.status, after.body['code']], [409, 'payment_reserved']);
  await requireSound(stage.money);
});
