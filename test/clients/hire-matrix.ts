/** Runs a client's hires against one market, all at once, and checks the books at the end. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openMarket, withChains } from '../harness/market.ts';
import { requireSoundBooks } from '../harness/orders.ts';
import { isThorough, some, THOROUGH_ONLY } from '../harness/thoroughness.ts';
import type { ClientName } from './install-client.ts';
import { loadClient } from './stock-clients.ts';
import { requireWholeHire, type Stage, type WantedHire } from './whole-hire.ts';

interface Options {
  /** The client's packages are costly to install; an everyday run has only the official client and the first one. */
  readonly thoroughOnly?: boolean;
  /** Further tests of this client alone. */
  readonly more?: (stage: () => Stage) => void;
}

export function describeHires(name: ClientName, hires: readonly WantedHire[], { thoroughOnly = false, more }: Options = {}): void {
  describe(`the ${name} client`, { skip: thoroughOnly && !isThorough && THOROUGH_ONLY }, () => {
    let stage: Stage | undefined;
    const opened = (): Stage => {
      assert.ok(stage, 'the client and the market are there');
      return stage;
    };
    before(async () => {
      const openClient = await loadClient(name);
      stage = { market: await openMarket(withChains), openClient };
    });
    after(async () => {
      await stage?.market.close();
    });

    describe('whole hires, until the provider is paid on chain and the order is readable', { concurrency: 4 }, () => {
      for (const wanted of some(hires, Math.min(3, Math.ceil(hires.length / 3))))
        test(`the ${name} client hires and pays once: ${titleOf(wanted)}`, async () => await requireWholeHire(opened(), wanted));
    });
    more?.(opened);
    test(`the books are sound after hires by the ${name} client`, async () => {
      await requireSoundBooks(opened().market);
    });
  });
}

function titleOf({ version, network, entrance, mostUsd }: WantedHire): string {
  return `version ${version} on ${network} by ${entrance}${mostUsd === undefined ? '' : `, limit raised to ${mostUsd} USD`}`;
}
