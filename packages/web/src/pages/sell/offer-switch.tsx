import { useAction } from '../../data/answers.ts';
import { Button, useToast } from '../../ui/index.ts';
import type { OwnService } from './service-draft.ts';

const INVALIDATED = ['services.listOfAgent', 'services.get', 'services.bySlug', 'agents.get'] as const;

/** Stops offering a service and offers it again. Both can be undone, so neither asks for confirmation. */
export function OfferSwitch({ service, small = false }: { readonly service: OwnService; readonly small?: boolean }) {
  const toast = useToast();
  const stop = useAction('services.deactivate', {
    invalidates: INVALIDATED,
    onDone: () => toast('No longer offered. Running orders go on.'),
  });
  const offer = useAction('services.update', { invalidates: INVALIDATED, onDone: () => toast('Offered again.') });
  const error = stop.error ?? offer.error;
  const offered = service.active === 1;
  return (
    <>
      <Button
        {...(small && { size: 'small' as const })}
        label={`${offered ? 'Stop offering' : 'Offer again'}: ${service.title}`}
        busy={stop.isPending || offer.isPending ? 'One moment' : undefined}
        onClick={() => (offered ? stop.mutate({ id: service.id }) : offer.mutate({ id: service.id, active: true }))}
      >
        {offered ? 'Stop offering' : 'Offer again'}
      </Button>
      {error === null ? null : (
        <span className="sell-refused" role="alert">
          {error.message}
        </span>
      )}
    </>
  );
}
