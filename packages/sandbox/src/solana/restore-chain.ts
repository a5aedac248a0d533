// Restores a stopped chain from its log: it places the last version of every account and executes no transaction again.

import { type MaybeAccount, restoreAccount, type StoredAccount } from './account-image.ts';
import { type AccountVersions, createAccountVersions } from './account-versions.ts';
import type { SlotAnchor } from './chain-clock.ts';
import type { ChainEvent, Genesis } from './chain-events.ts';
import { type ChainLog, type LogPosition, openChainLog } from './chain-log.ts';
import type { Engine } from './engine.ts';
import { createHistory, type History } from './history.ts';
import { createTokenOwners, type TokenOwners } from './token-owners.ts';

export interface RestoredChain {
  readonly log: ChainLog;
  /** Undefined for an empty folder. */
  readonly genesis: Genesis | undefined;
  readonly history: History;
  readonly versions: AccountVersions;
  readonly tokenOwners: TokenOwners;
  readonly anchors: readonly SlotAnchor[];
  readonly offsetMilliseconds: number;
  readonly lastUsedSlot: number;
}

export function restoreChain(file: string, engine: Engine, finalizedAfter: number, onBroken?: (error: unknown) => void): RestoredChain {
  const history = createHistory();
  const versions = createAccountVersions();
  const tokenOwners = createTokenOwners();
  const accounts = new Map<string, MaybeAccount>();
  const anchors: SlotAnchor[] = [];
  let genesis: Genesis | undefined;
  let offsetMilliseconds = 0;
  let lastUsedSlot = 0;

  function keep(stored: readonly StoredAccount[]): void {
    for (const entry of stored) {
      const account = restoreAccount(entry);
      accounts.set(entry[0], account);
      tokenOwners.note(entry[0], account);
    }
  }

  function restore(event: ChainEvent, position: LogPosition): void {
    if ('genesis' in event) {
      genesis = event.genesis;
      anchors.push(event.genesis.anchor);
      keep(event.genesis.accounts);
    } else if ('transaction' in event) {
      const { signature, slot, blockTime, memo, addresses, meta } = event.transaction;
      history.add({ signature, slot, blockTime, error: meta.err, memo, addresses, position });
      for (const [address] of event.accounts) {
        versions.record(slot, address, accounts.has(address) ? accounts.get(address) : engine.find(address));
      }
      if (slot !== lastUsedSlot) versions.forgetThrough(slot - finalizedAfter);
      lastUsedSlot = slot;
      keep(event.accounts);
    } else if ('reorg' in event) {
      history.dropAfter(event.reorg.slot);
      versions.rollBack(event.reorg.slot);
      keep(event.accounts);
    } else if ('anchor' in event) {
      anchors.push(event.anchor);
    } else {
      offsetMilliseconds = event.offsetMilliseconds;
    }
  }

  const log = openChainLog(file, (event, position) => restore(event as ChainEvent, position), onBroken);
  placeAll(engine, accounts);
  return { log, genesis, history, versions, tokenOwners, anchors, offsetMilliseconds, lastUsedSlot };
}

/** Places programs last, because placing a program makes the engine read its code from another account. */
function placeAll(engine: Engine, accounts: ReadonlyMap<string, MaybeAccount>): void {
  const [programs, plain] = [[...accounts].filter(isProgram), [...accounts].filter((entry) => !isProgram(entry))];
  for (const [address, account] of [...plain, ...programs]) engine.place(address, account);
}

function isProgram([, account]: readonly [string, MaybeAccount]): boolean {
  return account?.executable === true;
}
