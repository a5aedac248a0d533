/** Polls the order while a transfer is on its way, because its arrival gives an event to only one side. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { invalidate, keyOf } from '../../../../data/answers.ts';
import type { OrderView } from '../order-view.ts';
import { stageOf } from './transfer-words.ts';

const LOOK_MS = 3_000;

export function useFollowTransfers(view: OrderView | undefined): void {
  const queries = useQueryClient();
  const id = view?.order.id;
  const isMoving = view !== undefined && hasMovingTransfer(view);
  useEffect(() => {
    if (!isMoving || id === undefined) return;
    const timer = setInterval(() => void invalidate(queries, [keyOf('orders.get', { id })]), LOOK_MS);
    return () => clearInterval(timer);
  }, [isMoving, id, queries]);
}

function hasMovingTransfer({ money: { payout, refund } }: OrderView): boolean {
  return [payout, refund].some((transfer) => transfer !== null && ['waiting', 'sent'].includes(stageOf(transfer)));
}
