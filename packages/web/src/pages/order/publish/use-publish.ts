/** Publishes a review with a wallet: prepare, check, send, wait for a block, record. Goes on after a reload from what is stored. */
import { usualNetwork } from '@market/contract';
import { MarketApiError } from '@market/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { invalidate, useMarket } from '../../../data/answers.ts';
import { requireFeedbackCall } from '../../../wallets/check-call.ts';
import { explainWalletError, type PayableNetwork, WalletProblem, type WalletSession } from '../../../wallets/wallet-session.ts';
import { dropRecord, keepRecord, readRecord } from './publish-record.ts';

const LOOK_MS = 1_500;

export interface Publishing {
  /** What happens now, in words; undefined while nothing does. */
  readonly busy: string | undefined;
  readonly problem: string | undefined;
  /** A wallet was asked and never answered: it may have sent. */
  readonly unsure: boolean;
  start(session: WalletSession, network: PayableNetwork, registry: string): Promise<void>;
  startOver(): void;
}

export function usePublish(orderId: string): Publishing {
  const market = useMarket();
  const queries = useQueryClient();
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const [unsure, setUnsure] = useState(false);
  const alive = useRef(true);

  /** Waits for a block without refusals on the way, then has the service look. */
  const follow = async (reference: string): Promise<void> => {
    setBusy('Waiting for a block');
    while (alive.current) {
      const seen = await market.payments.progress({ network: usualNetwork.evm, reference }).catch(() => undefined);
      if (seen !== undefined && seen.data.state !== 'missing') break;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    if (!alive.current) return;
    await market.onchainFeedback.record({ id: orderId, tx_hash: reference });
    dropRecord(localStorage, orderId);
    await invalidate(queries, ['onchainFeedback.read', 'orders.get']);
  };

  const run = async (work: () => Promise<void>): Promise<void> => {
    setProblem(undefined);
    try {
      await work();
    } catch (error) {
      // What the chain or the registry refused stays refused; a service out of reach is asked again after a reload.
      if (error instanceof MarketApiError && error.status >= 400 && error.status < 500) dropRecord(localStorage, orderId);
      setProblem(error instanceof MarketApiError ? error.message : explainWalletError(error).message);
    } finally {
      setBusy(undefined);
    }
  };

  const resume = useRef((_reference: string): void => undefined);
  resume.current = (reference) => void run(() => follow(reference));
  useEffect(() => {
    alive.current = true;
    const record = readRecord(localStorage, orderId);
    if (record?.reference !== undefined) resume.current(record.reference);
    else setUnsure(record !== undefined);
    return () => {
      alive.current = false;
    };
  }, [orderId]);

  const send = async (session: WalletSession, network: PayableNetwork, registry: string): Promise<void> => {
    setBusy('Preparing');
    const { data } = await market.onchainFeedback.prepare({ id: orderId, client_wallet: session.address });
    if (session.sendCall === undefined) throw new WalletProblem('failed', 'This wallet cannot send on Base.');
    requireFeedbackCall(data.transaction, { registry, wallet: session.address }, network);
    await session.enterNetwork(network);
    keepRecord(localStorage, orderId, {});
    setBusy('Open your wallet');
    try {
      await session.sendCall(data.transaction, (reference) => keepRecord(localStorage, orderId, { reference }));
    } catch (error) {
      // Only a refusal is certain to have sent nothing.
      if (readRecord(localStorage, orderId)?.reference === undefined) {
        const isUnsent = error instanceof WalletProblem && error.trouble !== 'failed';
        if (isUnsent) dropRecord(localStorage, orderId);
        else setUnsure(true);
        throw error;
      }
    }
    const reference = readRecord(localStorage, orderId)?.reference;
    if (reference !== undefined) await follow(reference);
  };

  return {
    busy,
    problem,
    unsure,
    start: (session, network, registry) => run(() => send(session, network, registry)),
    startOver: () => {
      dropRecord(localStorage, orderId);
      setUnsure(false);
      setProblem(undefined);
    },
  };
}
