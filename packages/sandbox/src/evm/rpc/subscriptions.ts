// eth_subscribe over WebSocket: passes the engine's notifications to the connections that subscribed.

import type { Chain } from '../chain.ts';
import { EngineError } from '../edr-engine.ts';
import { type Hex, toQuantity } from '../hex.ts';
import { toGethError } from './geth-errors.ts';
import { INVALID_PARAMS, RpcError } from './rpc-error.ts';

/** The subscriptions of one connection. */
export interface Subscriber {
  subscribe(params: readonly unknown[]): Promise<Hex>;
  unsubscribe(id: unknown): Promise<boolean>;
  /** Ends all subscriptions, because the connection is closed. */
  leave(): void;
}

export interface Subscriptions {
  /** Takes a notification of the engine. */
  publish(id: bigint, result: unknown): void;
  join(chain: Chain, send: (message: string) => void): Subscriber;
}

const KINDS: readonly unknown[] = ['newHeads', 'logs', 'newPendingTransactions'];
const MAX_PER_CONNECTION = 100;

export function createSubscriptions(): Subscriptions {
  const receivers = new Map<Hex, (message: string) => void>();
  return {
    publish(id, result) {
      const subscription = toQuantity(id);
      const send = receivers.get(subscription);
      if (send === undefined) return;
      // The engine sends the logs of a block together; clients expect them one by one.
      for (const one of Array.isArray(result) ? result : [result]) {
        send(JSON.stringify({ jsonrpc: '2.0', method: 'eth_subscription', params: { subscription, result: one } }));
      }
    },
    join(chain, send) {
      const own = new Set<Hex>();
      const end = async (id: Hex) => {
        receivers.delete(id);
        own.delete(id);
        await chain.read('eth_unsubscribe', [id]);
      };
      return {
        async subscribe(params) {
          if (!KINDS.includes(params[0])) throw new RpcError(INVALID_PARAMS, `no subscription ${params[0]}; there are ${KINDS.join(', ')}`);
          if (own.size >= MAX_PER_CONNECTION)
            throw new RpcError(INVALID_PARAMS, `at most ${MAX_PER_CONNECTION} subscriptions per connection`);
          const id = await chain.read<Hex>('eth_subscribe', params).catch(rethrowAsGeth);
          own.add(id);
          receivers.set(id, send);
          return id;
        },
        async unsubscribe(id) {
          const known = [...own].find((one) => one === id);
          if (known === undefined) throw new RpcError(INVALID_PARAMS, 'subscription not found');
          await end(known);
          return true;
        },
        leave() {
          // The connection is closed, so ignore a subscription that the engine no longer knows.
          for (const id of own) end(id).catch(() => undefined);
        },
      };
    },
  };
}

function rethrowAsGeth(error: unknown): never {
  throw error instanceof EngineError ? toGethError(error) : error;
}
