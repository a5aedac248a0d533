/** Sends from the wallet: asset, amount, destination, then the owner's proof for this very transfer. */
import { useState } from 'react';
import { Button, CheckField, Dialog, RadioRows, SelectField, Sum, shorten, TextField, useToast } from '../../../ui/index.ts';
import { networkWords } from '../../../words.ts';
import { OwnerAct } from '../../build/owner-act.tsx';
import type { OwnedAgent } from '../../shared/agent-chooser.tsx';
import type { WalletBalance } from './wallet-words.ts';

export interface SendDialogProps {
  readonly agent: OwnedAgent;
  readonly balances: readonly WalletBalance[];
  readonly first: WalletBalance;
  readonly onClose: () => void;
}

const LOOKED = 'The market asked me: I looked at the wallet on chain, and this was not sent before';

export function SendDialog({ agent, balances, first, onClose }: SendDialogProps) {
  const toast = useToast();
  const [chain, setChain] = useState<string>(first.chain);
  const [asset, setAsset] = useState<string>('usdc');
  const [to, setTo] = useState('');
  const [amount, setAmount] = useState('');
  const [checked, setChecked] = useState(false);
  const [notSentBefore, setNotSentBefore] = useState(false);
  const balance = balances.find((one) => one.chain === chain) ?? first;
  const unit = asset === 'usdc' ? 'USDC' : balance.coin;
  const there = asset === 'usdc' ? balance.usdc : balance.native;
  const mayBeAsked = asset === 'native' && balance.network !== 'solana-mainnet';
  const args = {
    id: agent.slug,
    chain: balance.chain,
    to: to.trim(),
    asset: asset === 'native' ? ('native' as const) : ('usdc' as const),
    ...(amount.trim() !== '' && { amount: amount.trim() }),
    ...(mayBeAsked && notSentBefore && { not_sent_before: true }),
  };
  if (checked)
    return (
      <Dialog open onClose={onClose} title="Check and send">
        <div className="stack">
          <Sum
            lines={[
              { label: 'Leaves', value: amount.trim() === '' ? `everything in ${unit}` : `${amount.trim()} ${unit}` },
              { label: 'On', value: networkWords[balance.network] },
              { label: 'Network fee', value: asset === 'usdc' ? 'paid by the market' : `paid in ${balance.coin}` },
            ]}
          />
          <div>
            <div className="meta">To</div>
            <div className="mono agent-wallet-address">{args.to}</div>
          </div>
          <p className="note">Nobody can bring it back. Compare the address once more.</p>
          <OwnerAct
            name="wallets.send"
            args={args}
            ownerWallet={agent.owner_wallet}
            label="Send it"
            busy="Sending"
            moves
            effect="The signature orders this transfer and no other; signing costs nothing."
            invalidates={['wallets.funding', 'wallets.log', 'moves.list']}
            onDone={({ data }) => {
              toast(
                data.status === 'waiting'
                  ? `${data.amount} ${unit} leaves in a day. You can cancel it until then.`
                  : `${data.amount} ${unit} ${data.status === 'confirmed' ? 'arrived at' : 'is on its way to'} ${shorten(data.destination)}.`,
              );
              onClose();
            }}
          />
          <div>
            <Button onClick={() => setChecked(false)}>Change it</Button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog open onClose={onClose} title="Send from the wallet">
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (args.to !== '') setChecked(true);
        }}
      >
        <SelectField
          label="Network"
          value={balance.chain}
          onChange={setChain}
          choices={balances.map(({ chain: value, network }) => ({ value, label: networkWords[network] }))}
        />
        <RadioRows
          legend="What"
          rows={[
            { value: 'usdc', label: 'USDC' },
            { value: 'native', label: balance.coin },
          ]}
          value={asset}
          onChange={setAsset}
          across
        />
        <TextField label="To" hint={`An address on ${networkWords[balance.network]}.`} value={to} onChange={setTo} mono />
        <TextField
          label={`Amount in ${unit}`}
          hint={there === null ? 'Empty: everything.' : `Empty: everything. The wallet holds ${there}.`}
          value={amount}
          onChange={setAmount}
          mono
          optional
        />
        {mayBeAsked && <CheckField label={LOOKED} checked={notSentBefore} onChange={setNotSentBefore} />}
        <div className="actions">
          <Button kind="ink" type="submit" disabledReason={args.to === '' ? 'Name an address first.' : undefined}>
            Check the transfer
          </Button>
          <Button onClick={onClose}>Leave it</Button>
        </div>
      </form>
    </Dialog>
  );
}
