// The Solana runtime itself (LiteSVM: the real SVM with the real programs), behind the few calls the node needs.
// LiteSVM checks neither blockhash age nor duplicates: it knows one blockhash only; the node keeps 150 blocks.
// The raw calls are not LiteSVM's public interface, hence the exact version in package.json. They end the process when
// given malformed bytes: pass only transactions that `decodeTransaction` accepted and addresses of 32 bytes.

import { createRequire } from 'node:module';
import type { FailedTransactionMetadata, Account as NativeAccount, TransactionMetadata } from 'litesvm/dist/internal.js';
import type { AccountImage, MaybeAccount } from './account-image.ts';
import { addressBytes, encodeBase58 } from './base58.ts';
import { SYSTEM_PROGRAM } from './programs.ts';
import { type TransactionError, toTransactionError } from './transaction-error.ts';

const SLOTS_PER_EPOCH = 432_000;
const REMEMBERED_SLOT_HASHES = 300;

export interface InnerInstructions {
  readonly index: number;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
    readonly stackHeight: number;
  }[];
}

export interface ReturnData {
  readonly programId: string;
  readonly data: readonly [string, 'base64'];
}

export interface Outcome {
  readonly error: TransactionError | null;
  readonly logs: readonly string[];
  readonly innerInstructions: readonly InnerInstructions[];
  readonly computeUnits: number;
  readonly returnData: ReturnData | undefined;
}

export interface SimulatedOutcome extends Outcome {
  /** The writable accounts after the simulation; empty if the transaction fails. */
  readonly accounts: ReadonlyMap<string, AccountImage>;
}

export type Engine = ReturnType<typeof createEngine>;

export function createEngine() {
  const { Account, FailedTransactionMetadata, LiteSvm } = loadBinding();
  const svm = new LiteSvm();
  svm.withNativeMints();
  svm.setBlockhashCheck(false);
  svm.setTransactionHistory(0n);
  const firstSlot = Number(svm.getClock().slot);
  let currentSlot = firstSlot;
  let newestSlotHash = firstSlot;

  return {
    /** The slot at which the engine's programs count as deployed; a chain must begin after it. */
    firstSlot,

    find: (address: string): MaybeAccount => {
      const account = svm.getAccount(addressBytes(address));
      return account === null ? undefined : toImage(account);
    },

    lamports: (address: string): number => Number(svm.getBalance(addressBytes(address)) ?? 0n),

    place: (address: string, image: MaybeAccount): void => {
      const { lamports, owner, executable, data } = image ?? {
        lamports: 0,
        owner: SYSTEM_PROGRAM,
        executable: false,
        data: new Uint8Array(),
      };
      svm.setAccount(addressBytes(address), new Account(BigInt(lamports), data, addressBytes(owner), executable, 2n ** 64n - 1n));
    },

    listOwnedBy: (program: string): (readonly [string, AccountImage])[] =>
      svm.getProgramAccounts(addressBytes(program)).map((found) => [encodeBase58(found.address), toImage(found.account())]),

    enterSlot: (slot: number, unixSeconds: number, hash: string): void => {
      if (slot === currentSlot) return;
      currentSlot = slot;
      const clock = svm.getClock();
      clock.slot = BigInt(slot);
      clock.unixTimestamp = BigInt(unixSeconds);
      clock.epoch = BigInt(Math.floor(slot / SLOTS_PER_EPOCH));
      clock.leaderScheduleEpoch = clock.epoch + 1n;
      svm.setClock(clock);
      if (slot <= newestSlotHash) return;
      newestSlotHash = slot;
      // Programs ask only whether a slot is recent, so one hash serves all of them.
      svm.setSlotHashes(Array.from({ length: REMEMBERED_SLOT_HASHES }, (_, age) => ({ slot: BigInt(slot - 1 - age), hash })));
    },

    execute: (bytes: Uint8Array): Outcome => {
      const result = svm.sendVersionedTransaction(bytes);
      return result instanceof FailedTransactionMetadata ? toFailure(result) : { error: null, ...toReport(result) };
    },

    simulate: (bytes: Uint8Array, verifySignatures: boolean): SimulatedOutcome => {
      svm.setSigverify(verifySignatures);
      try {
        const result = svm.simulateVersionedTransaction(bytes);
        if (result instanceof FailedTransactionMetadata) return { ...toFailure(result), accounts: new Map() };
        const accounts = result.postAccounts().map((found) => [encodeBase58(found.address), toImage(found.account())] as const);
        return { error: null, ...toReport(result.meta()), accounts: new Map(accounts) };
      } finally {
        svm.setSigverify(true);
      }
    },

    rentExemptMinimum: (dataLength: number): number => Number(svm.minimumBalanceForRentExemption(BigInt(dataLength))),
  };
}

function loadBinding(): typeof import('litesvm/dist/internal.js') {
  try {
    return createRequire(import.meta.url)('litesvm/dist/internal.js') as typeof import('litesvm/dist/internal.js');
  } catch (cause) {
    throw new Error(
      `The local Solana chain cannot start: litesvm has no native binary for ${process.platform}-${process.arch} here. ` +
        'npm leaves such packages out silently: run `npm install` again with optional packages, on Linux or macOS (x64 or arm64).',
      { cause },
    );
  }
}

function toImage(account: NativeAccount): AccountImage {
  return {
    lamports: Number(account.lamports()),
    owner: encodeBase58(account.owner()),
    executable: account.executable(),
    data: account.data(),
  };
}

function toFailure(failed: FailedTransactionMetadata): Outcome {
  return { error: toTransactionError(failed.err()), ...toReport(failed.meta()) };
}

function toReport(meta: TransactionMetadata): Omit<Outcome, 'error'> {
  const returned = meta.returnData();
  const data = returned.data();
  return {
    logs: meta.logs(),
    innerInstructions: listInnerInstructions(meta),
    computeUnits: Number(meta.computeUnitsConsumed()),
    returnData:
      data.length === 0
        ? undefined
        : { programId: encodeBase58(returned.programId()), data: [Buffer.from(data).toString('base64'), 'base64'] },
  };
}

function listInnerInstructions(meta: TransactionMetadata): InnerInstructions[] {
  const groups = meta.innerInstructions().map((group, index) => ({
    index,
    instructions: group.map((inner) => {
      const instruction = inner.instruction();
      return {
        programIdIndex: instruction.programIdIndex(),
        accounts: [...instruction.accounts()],
        data: encodeBase58(instruction.data()),
        stackHeight: inner.stackHeight(),
      };
    }),
  }));
  return groups.filter((group) => group.instructions.length > 0);
}
