/** The wallet's balances per network, with their actions. */
import { Amount, Button, type Column, DataTable, Empty, Hash } from '../../../ui/index.ts';
import { networkWords } from '../../../words.ts';
import type { WalletBalance } from './wallet-words.ts';

export interface BalancesTableProps {
  readonly balances: readonly WalletBalance[];
  readonly onFund: (balance: WalletBalance) => void;
  readonly onSend: (balance: WalletBalance) => void;
}

export function BalancesTable({ balances, onFund, onSend }: BalancesTableProps) {
  if (balances.length === 0) return <Empty>This market serves no network.</Empty>;
  const columns: readonly Column<WalletBalance>[] = [
    { head: 'Network', cell: ({ network }) => networkWords[network], fold: 'what' },
    { head: 'Address', cell: ({ address }) => <Hash value={address} what="address" />, fold: 'state' },
    { head: 'Coins', cell: ({ native, coin }) => (native === null ? 'unknown' : `${native} ${coin}`), number: true, fold: 'time' },
    { head: 'USDC', cell: ({ usdc }) => (usdc === null ? 'unknown' : <Amount usd={usdc} bare />), number: true, fold: 'amount' },
    {
      head: 'Actions',
      cell: (balance) => (
        <span className="agent-wallet-actions">
          <Button size="small" onClick={() => onFund(balance)}>
            Fund <span className="visually-hidden">on {networkWords[balance.network]}</span>
          </Button>
          <Button size="small" onClick={() => onSend(balance)}>
            Send <span className="visually-hidden">on {networkWords[balance.network]}</span>
          </Button>
        </span>
      ),
      fold: 'act',
    },
  ];
  return <DataTable caption="Balances by network" columns={columns} rows={balances} keyOf={({ network }) => network} />;
}
