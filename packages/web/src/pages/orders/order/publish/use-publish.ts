/** Publishes a review with a wallet: prepare, check, send, wait for a block, record. After a reload it continues from the stored record. */
import { MarketApiError } from '@market/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { invalidate, useMarket } from '../../../../data/answers.ts';
import { explainWalletError, type PayableNetwork, type WalletSession } from '../../../../wallets/wallet-session.ts';
import { dropRecord, keepRecord, readRecord } from './publish-record.ts';
import { sendReview, UnsureProblem, untilInBlock } from './publish-steps.ts';

const HASH = /^0x[0-9a-f]{64}$/i;
/** Final refusals; after any other error the same transaction is tried again. */
const refusals: ReadonlySet<string> = new Set(['onchain_feedback_failed', 'onchain_feedback_mismatch', 'onchain_feedback_exists']);

export interface Publishing {
  /** The current step in words; undefined when idle. */
  readonly busy: string | undefined;
  readonly problem: string | undefined;
  /** A wallet never answered, or no node shows its transaction. */
  readonly unsure: boolean;
  start(session: WalletSession, network: PayableNetwork, registry: string): Promise<void>;
  /** Continues with a transaction that the person found in the wallet. */
  take(reference: string): Promise<void>;
  startOver(): void;
}

export function usePublish(orderId: string): Publishing {
  const market = useMarket();
  const queries = useQueryClient();
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [unsure, setUnsure] = useState(false);
  const isOpen = useRef(true);

  /** Follows the transaction to its end, wherever its reference comes from. */
  const publish = async (find: () => Promise<string>): Promise<void> => {
    setProblem(undefined);
    setUnsure(false);
    try {
      const reference = await find();
      setBusy('Waiting for a block');
      if (!(await untilInBlock(market, reference, () => isOpen.current))) return;
      await market.onchainFeedback.record({ id: orderId, tx_hash: reference });
      dropRecord(localStorage, orderId);
      await invalidate(queries, ['onchainFeedback.read', 'orders.get']);
    } catch (error) {
      if (error instanceof MarketApiError && refusals.has(error.code)) dropRecord(localStorage, orderId);
      setUnsure(error instanceof UnsureProblem);
      setProblem(error instanceof MarketApiError ? error.message : explainWalletError(error).message);
    } finally {
      setBusy(undefined);
    }
  };

  const resume = useRef(publish);
  resume.current = publish;
  useEffect(() => {
    isOpen.current = true;
    const record = readRecord(localStorage, orderId);
    const { reference } = record ?? {};
    if (reference !== undefined) void resume.current(async () => reference);
    else setUnsure(record !== undefined);
    return () => {
      isOpen.current = false;
    };
  }, [orderId]);

  return {
    busy,
    problem,
    unsure,
    start: (session, network, registry) =>
      publish(async () => {
        const sent = readRecord(localStorage, orderId)?.reference;
        return sent ?? (await sendReview(market, { orderId, session, network, registry, onStep: setBusy }));
      }),
    take: (text) =>
      publish(async () => {
        const reference = text.trim();
        if (!HASH.test(reference)) throw new UnsureProblem('A transaction is 0x and 64 hex characters.');
        keepRecord(localStorage, orderId, { reference });
        return reference;
      }),
    startOver: () => {
      dropRecord(localStorage, orderId);
      setUnsure(false);
      setProblem(undefined);
    },
  };
}
