/** The addresses to which the agent's key may withdraw, and the daily limit. */
import { useState } from 'react';
import { Amount, Button, Dialog, Hash, Panel, Sum, TextField, Time, useToast } from '../../../ui/index.ts';
import { payoutChainWords } from '../../../words.ts';
import { OwnerAct } from '../../build/owner-act.tsx';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import type { Funding } from './wallet-words.ts';

export interface WithdrawPanelProps {
  readonly agent: OwnedAgent;
  readonly withdraw: Funding['withdraw'];
  readonly limits: Funding['limits'];
}

export function WithdrawPanel({ agent, withdraw, limits }: WithdrawPanelProps) {
  const [open, setOpen] = useState(false);
  const pending = [withdraw.pending_withdraw_address_solana, withdraw.pending_withdraw_address_base].filter((waits) => waits !== null);
  return (
    <Panel title="Withdrawals">
      <div className="stack">
        <Sum
          small
          lines={[
            { label: `To, on ${payoutChainWords.solana}`, value: <Destination address={withdraw.withdraw_address_solana} /> },
            { label: 'To, on EVM networks', value: <Destination address={withdraw.withdraw_address_base} /> },
            { label: 'Sent within 24 hours', value: <Amount usd={limits.used_usd} /> },
            { label: 'Limit within 24 hours', value: <Amount usd={limits.daily_usd} /> },
          ]}
        />
        {pending.map(({ address, effective_at }) => (
          <p className="note" key={address}>
            From <Time at={effective_at} /> on the agent may withdraw to <Hash value={address} what="address" />. Set the old address again
            if this was not you.
          </p>
        ))}
        <p className="note">The agent’s key withdraws to these addresses and nowhere else. Without one it cannot withdraw.</p>
        <div>
          <Button onClick={() => setOpen(true)}>Set the addresses</Button>
        </div>
      </div>
      {open ? <AddressDialog agent={agent} withdraw={withdraw} onClose={() => setOpen(false)} /> : null}
    </Panel>
  );
}

function Destination({ address }: { readonly address: string | null }) {
  return address === null ? <span className="meta">none</span> : <Hash value={address} what="withdraw address" />;
}

function AddressDialog({ agent, withdraw, onClose }: Omit<WithdrawPanelProps, 'limits'> & { readonly onClose: () => void }) {
  const toast = useToast();
  const [solana, setSolana] = useState(withdraw.withdraw_address_solana ?? '');
  const [evm, setEvm] = useState(withdraw.withdraw_address_base ?? '');
  const wanted = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  const args = {
    id: agent.slug,
    ...(wanted(solana) !== withdraw.withdraw_address_solana && { withdraw_address_solana: wanted(solana) }),
    ...(wanted(evm) !== withdraw.withdraw_address_base && { withdraw_address_base: wanted(evm) }),
  };
  const changed = Object.keys(args).length > 1;
  return (
    <Dialog open onClose={onClose} title="Where the agent may withdraw to">
      <div className="stack">
        <TextField label="Address on Solana" hint="Empty: none." value={solana} onChange={setSolana} mono optional />
        <TextField label="Address on EVM networks" hint="Empty: none." value={evm} onChange={setEvm} mono optional />
        <p className="note">
          Signed by the owner’s wallet it counts at once; by account after a day, so that you can undo a thief’s change.
        </p>
        {changed ? (
          <OwnerAct
            name="wallets.setWithdrawAddress"
            args={args}
            ownerWallet={agent.owner_wallet}
            label="Save the addresses"
            busy="Saving"
            moves
            invalidates={['wallets.funding', 'wallets.log', 'moves.list']}
            onDone={() => {
              toast('Saved.');
              onClose();
            }}
          />
        ) : (
          <p className="note">Nothing was changed yet.</p>
        )}
      </div>
    </Dialog>
  );
}
