/** Lets a wallet remove its link to an account, whichever account made it. */
import { useAction } from '../../data/answers.ts';
import { useSessionChanged } from '../../data/session.ts';
import { Button, ErrorState, useToast } from '../../ui/index.ts';

export function UndoLink({ address }: { readonly address: string }) {
  const toast = useToast();
  const sessionChanged = useSessionChanged();
  const undo = useAction('auth.undoLink', {
    onDone: ({ data }) => {
      toast(data.undone ? 'Undone. No account sees this wallet or acts for it.' : 'No account was linked to this wallet.');
      void sessionChanged();
    },
  });
  return (
    <section className="block" aria-labelledby="undo-link">
      <h2 id="undo-link">Link to an account</h2>
      <p className="note wallet-note">
        An account that this wallet was linked to sees its orders, acts in them and pays with its transfers. If you did not link it, or no
        longer want it, undo the link here.
      </p>
      {undo.error === null ? null : <ErrorState what="The link was not undone." error={undo.error} />}
      <p className="actions block">
        <Button busy={undo.isPending ? 'Undoing' : undefined} onClick={() => undo.mutate({ address })}>
          Undo the link of this wallet
        </Button>
      </p>
    </section>
  );
}
