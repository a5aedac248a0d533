import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Settler } from './settler.ts';
import { watchSponsors } from './sponsor-watch.ts';

test('a network is offered while its sponsor can pay twenty settlements and its node answers; changes are logged once', async () => {
  let affordable: () => number = () => 20;
  const settler = { network: 'base-mainnet', countAffordable: async () => affordable() } as Settler;
  const logged: string[] = [];
  const figures = new Map<string, () => number | Promise<number>>();
  const watch = await watchSponsors({
    settlers: [settler],
    log: {
      warn: (_fields: object, text: string) => logged.push(text),
      info: (_fields: object, text: string) => logged.push(text),
    } as never,
    metrics: { gauge: (name, _help, read) => void figures.set(name, read) },
    freshMs: 0,
  });
  const until = async (networks: readonly string[]): Promise<void> => {
    for (let look = 0; look < 100; look++) {
      if (watch.networks.join() === networks.join()) return;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.deepEqual(watch.networks, networks);
  };

  assert.deepEqual(watch.networks, ['base-mainnet']);
  assert.equal(await figures.get('market_x402_settlements_left_base_mainnet')?.(), 20);
  affordable = () => 19;
  await until([]);
  affordable = () => 500;
  await until(['base-mainnet']);
  assert.equal(await figures.get('market_x402_settlements_left_base_mainnet')?.(), 500);
  assert.equal(logged.length, 2);
  affordable = () => {
    throw new Error('no node answered');
  };
  await until([]);
});

test('a recent check of the sponsors is not repeated', async () => {
  let looks = 0;
  const countAffordable = async () => {
    looks += 1;
    return 100;
  };
  const settlers = [{ network: 'base-mainnet', countAffordable } as Settler];
  const watch = await watchSponsors({
    settlers,
    log: { warn: () => undefined, info: () => undefined },
    metrics: { gauge: () => undefined },
  });
  for (let ask = 0; ask < 10; ask++) assert.deepEqual(watch.networks, ['base-mainnet']);
  assert.equal(looks, 1);
});
