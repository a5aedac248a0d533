/** Moves of money and keys that wait because only the account vouches for them. Each can be cancelled until it takes effect. */
import { type Answer, useAction, useAnswer } from '../../data/answers.ts';
import { Button, ErrorState, Time, useToast } from '../../ui/index.ts';

type Move = Answer<'moves.list'>['data'][number];

export interface WaitingMovesProps {
  /** Selects the moves that belong to this page. */
  readonly of: (move: Move) => boolean;
  /** Answers that a cancelled move outdates. */
  readonly invalidates?: readonly ('agents.mine' | 'wallets.funding' | 'earn.positions' | 'earn.movements')[];
}

/** Renders nothing if no move waits. */
export function WaitingMoves({ of, invalidates = [] }: WaitingMovesProps) {
  const moves = useAnswer('moves.list', { status: 'open' }).data?.data.filter(of) ?? [];
  if (moves.length === 0) return null;
  return (
    <section className="block" aria-labelledby="waiting-moves">
      <div className="heading">
        <h2 id="waiting-moves">Waiting</h2>
      </div>
      <p className="note">
        An account alone moves nothing at once. What waits here happens at the time it names. Cancel what you did not ask for.
      </p>
      <ul className="ledger">
        {moves.map((move) => (
          <Row key={move.id} move={move} invalidates={invalidates} />
        ))}
      </ul>
    </section>
  );
}

function Row({ move, invalidates }: { readonly move: Move } & Required<Pick<WaitingMovesProps, 'invalidates'>>) {
  const toast = useToast();
  const cancel = useAction('moves.cancel', {
    invalidates: ['moves.list', ...invalidates],
    onDone: () => toast('Cancelled. Nothing moves.'),
  });
  return (
    <li className="stack">
      <p>{move.summary}</p>
      <p className="meta">
        {move.status === 'ready' && move.ready_until !== null ? (
          <>
            ready until <Time at={move.ready_until} />
          </>
        ) : (
          <>
            happens <Time at={move.effective_at} />
          </>
        )}
      </p>
      {cancel.error === null ? null : <ErrorState what="It was not cancelled." error={cancel.error} />}
      <div>
        <Button
          size="small"
          label={`Cancel: ${move.summary}`}
          busy={cancel.isPending ? 'Cancelling' : undefined}
          onClick={() => cancel.mutate({ id: move.id })}
        >
          Cancel
        </Button>
      </div>
    </li>
  );
}
