/** Runs an action on an order. If the order changed in the meantime, the refusal refreshes the page. */
import type { MarketApiError } from '@market/sdk';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Arguments, type AskName, callOperation, invalidate, useMarket } from '../../../../data/answers.ts';
import { useToast } from '../../../../ui/index.ts';

/** Answers that a step of an order may outdate. */
const ORDER_ANSWERS: readonly AskName[] = [
  'orders.get',
  'orders.list',
  'orders.statement',
  'disputes.get',
  'disputes.list',
  'workspaces.listRequests',
  'messages.list',
  'money.agentEarnings',
  'money.agentPayouts',
];

interface Step {
  readonly name: AskName;
  readonly args: unknown;
  readonly done: string;
}

export interface OrderAct {
  /** Resolves to whether the action succeeded; otherwise `error` has the reason. */
  take<N extends AskName>(name: N, args: Arguments<N>, done: string): Promise<boolean>;
  readonly busy: boolean;
  readonly error: MarketApiError | null;
  clear(): void;
}

export function useOrderAct(): OrderAct {
  const market = useMarket();
  const queries = useQueryClient();
  const toast = useToast();
  const step = useMutation<unknown, MarketApiError, Step>({
    mutationFn: ({ name, args }) => callOperation(market, name, args as Arguments<AskName>),
    onSuccess: (_, { done }) => toast(done),
    onSettled: () => invalidate(queries, ORDER_ANSWERS),
  });
  return {
    take: async (name, args, done) =>
      await step.mutateAsync({ name, args, done }).then(
        () => true,
        () => false,
      ),
    busy: step.isPending,
    error: step.error,
    clear: () => step.reset(),
  };
}
