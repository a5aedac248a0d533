// Notifications over WebSocket: signatures, accounts, slots and logs. Commitment levels advance with time, so while there are subscribers a
// timer checks once per slot.

import { isSameAccount, type MaybeAccount } from './account-image.ts';
import { NODE_VERSION } from './bank.ts';
import type { Chain } from './chain.ts';
import { presentAccount, readAccountView } from './present-account.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import { invalidParams, RpcError } from './rpc-error.ts';
import { type Config, readAddress, readCommitment, readConfig, readFlag, readList, readSignature } from './rpc-params.ts';

const MAX_PER_CONNECTION = 1000;
const SHORTEST_TICK_MS = 20;

export interface Connection {
  send(message: object): void;
}

/** Reports news to the subscription. Returns false when the subscription has ended. */
type Watch = (notify: (result: unknown) => void) => boolean;

interface Subscription {
  readonly connection: Connection;
  readonly kind: string;
  readonly watch: Watch;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

export function createSubscriptions(chain: Chain, log: (message: string) => void) {
  const subscriptions = new Map<number, Subscription>();
  let nextId = 0;
  let ticker: NodeJS.Timeout | undefined;
  let isScheduled = false;

  function publish(): void {
    if (isScheduled || subscriptions.size === 0) return;
    isScheduled = true;
    setImmediate(async () => {
      isScheduled = false;
      try {
        await chain.settled(); // report only changes that are on disk
        for (const [id, subscription] of subscriptions) report(id, subscription);
      } catch (error) {
        log(`Solana notifications failed: ${error instanceof Error ? error.message : error}`);
      }
    });
  }

  function report(id: number, { connection, kind, watch }: Subscription): void {
    const notify = (result: unknown) =>
      connection.send({ jsonrpc: '2.0', method: `${kind}Notification`, params: { result, subscription: id } });
    if (!watch(notify)) remove(id);
  }

  function remove(id: number): void {
    subscriptions.delete(id);
    if (subscriptions.size > 0) return;
    clearInterval(ticker);
    ticker = undefined;
  }

  chain.onActivity(publish);

  return {
    /** Returns the id for the answer, and a function that activates the subscription after the answer was sent. */
    open(connection: Connection, method: string, params: readonly unknown[]): { readonly id: number; activate(): void } {
      const kind = method.replace('Subscribe', '');
      const createWatch = WATCHES.get(kind);
      if (createWatch === undefined) throw new RpcError(-32601, 'Method not found');
      const watch = createWatch(chain, params);
      const used = [...subscriptions.values()].filter((subscription) => subscription.connection === connection).length;
      if (used >= MAX_PER_CONNECTION) throw new RpcError(-32603, `A connection may hold ${MAX_PER_CONNECTION} subscriptions.`);
      const id = nextId++;
      const activate = () => {
        subscriptions.set(id, { connection, kind, watch });
        ticker ??= setInterval(publish, Math.max(SHORTEST_TICK_MS, chain.slotMilliseconds));
        publish();
      };
      return { id, activate };
    },

    close(connection: Connection, id: unknown): true {
      if (typeof id !== 'number' || subscriptions.get(id)?.connection !== connection) throw invalidParams('Invalid subscription id.');
      remove(id);
      return true;
    },

    closeAll(connection: Connection): void {
      for (const [id, subscription] of subscriptions) if (subscription.connection === connection) remove(id);
    },

    stop(): void {
      for (const id of subscriptions.keys()) remove(id);
    },
  };
}

const WATCHES: ReadonlyMap<string, (chain: Chain, params: readonly unknown[]) => Watch> = new Map([
  ['signature', watchSignature],
  ['account', watchAccount],
  ['logs', watchLogs],
  ['slot', watchSlot],
]);

function withContext(slot: number, value: unknown): object {
  return { context: { apiVersion: NODE_VERSION, slot }, value };
}

function watchSignature(chain: Chain, params: readonly unknown[]): Watch {
  const signature = readSignature(params[0]);
  const config = readConfig(params[1]);
  const commitment = readCommitment(config);
  let reportsReceipt = readFlag(config, 'enableReceivedNotification');
  return (notify) => {
    const entry = chain.history.find(signature);
    if (entry === undefined) return true;
    if (reportsReceipt) notify(withContext(entry.slot, 'receivedSignature'));
    reportsReceipt = false;
    const slot = chain.slotAt(commitment);
    if (entry.slot > slot) return true;
    notify(withContext(slot, { err: entry.error }));
    return false;
  };
}

function watchAccount(chain: Chain, params: readonly unknown[]): Watch {
  const address = readAddress(params[0]);
  const config = readConfig(params[1]);
  const commitment = readCommitment(config);
  const view = readAccountView(config);
  let last: MaybeAccount = chain.findAccount(address, chain.slotAt(commitment));
  return (notify) => {
    const slot = chain.slotAt(commitment);
    const account = chain.findAccount(address, slot);
    if (isSameAccount(account, last)) return true;
    last = account;
    const empty = { lamports: 0, owner: SYSTEM_PROGRAM, executable: false, data: new Uint8Array() };
    notify(
      withContext(
        slot,
        presentAccount(account ?? empty, view, (other) => chain.findAccount(other, slot)),
      ),
    );
    return true;
  };
}

function watchLogs(chain: Chain, params: readonly unknown[]): Watch {
  const mentioned = readMention(params[0]);
  const commitment = readCommitment(readConfig(params[1]));
  let next = chain.history.nextSequence();
  return (notify) => {
    const slot = chain.slotAt(commitment);
    for (const entry of chain.history.listSince(next)) {
      if (entry.slot > slot) break;
      next = entry.sequence + 1;
      if (mentioned !== undefined && !entry.addresses.includes(mentioned)) continue;
      const { logMessages } = chain.readRecord(entry).meta;
      notify(withContext(entry.slot, { signature: entry.signature, err: entry.error, logs: logMessages }));
    }
    return true;
  };
}

function readMention(filter: unknown): string | undefined {
  if (filter === 'all' || filter === 'allWithVotes') return undefined;
  const config: Config = readConfig(filter);
  const [address, ...others] = readList(config['mentions'], 100);
  if (others.length > 0) throw invalidParams('Invalid Request: Only 1 address supported');
  return readAddress(address);
}

function watchSlot(chain: Chain): Watch {
  let last = chain.slotAt('processed');
  return (notify) => {
    const slot = chain.slotAt('processed');
    if (slot === last) return true;
    last = slot;
    notify({ slot, parent: slot - 1, root: chain.slotAt('finalized') });
    return true;
  };
}
