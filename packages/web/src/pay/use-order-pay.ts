/** Pays for one order: the receivers, the buyer's wallets, and the submission. Used wherever an order can be paid. */
import { type NetworkName, networkFacts, usualNetwork } from '@market/contract';
import { useQueryClient } from '@tanstack/react-query';
import { type Answer, invalidate } from '../data/answers.ts';
import { useOwnWallets } from './own-wallets.ts';
import type { PayPanelProps } from './pay-panel.tsx';
import { usePayPanel } from './use-pay-panel.ts';

type OrderView = Answer<'orders.get'>['data'];

export function useOrderPay(view: OrderView, onPaid: () => void): Omit<PayPanelProps, 'split' | 'children'> {
  const { order, payment_options: options } = view;
  const queries = useQueryClient();
  const linked = useOwnWallets().linked;
  return usePayPanel({
    subject: `order:${order.id}`,
    options,
    firstNetwork: firstNetwork(options, order),
    payers: linked && [...new Set([order.client_wallet, ...linked].filter((address) => address !== null))],
    submit: async (network, reference, market) => {
      await market.orders.pay({ id: order.id, escrow_tx_hash: reference, payment_chain: networkFacts[network].chain });
    },
    onPaid: () => void invalidate(queries, ['orders.get', 'orders.list', 'notifications.list']).then(onPaid),
  });
}

/** The order's own network; otherwise one that fits the wallet that placed it; otherwise Base. */
function firstNetwork(options: OrderView['payment_options'], { payment_network, client_wallet }: OrderView['order']): NetworkName {
  const kind = client_wallet === null ? undefined : client_wallet.startsWith('0x') ? 'evm' : 'solana';
  const fitting = options.filter(({ network }) => kind === undefined || networkFacts[network].kind === kind);
  const base = fitting.find(({ network }) => network === usualNetwork.evm);
  return payment_network ?? base?.network ?? fitting[0]?.network ?? options[0]?.network ?? usualNetwork.evm;
}
