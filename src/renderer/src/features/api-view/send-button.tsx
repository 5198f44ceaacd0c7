import { useState } from 'react';
import { apiView as words } from '../../strings/api-view.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Question } from '../../ui/dialog.tsx';
import type { BuiltRequest } from './build-request.ts';
import type { ApiRoute } from './openapi.ts';

/** Reads whose answer is a secret that the window shows nowhere else without a question. */
const SECRET_READS: ReadonlySet<string> = new Set(['wallet.seed']);

interface SendButtonProps {
  readonly route: ApiRoute;
  /** Undefined while the form isn't valid. */
  readonly request: BuiltRequest | undefined;
  readonly isSending: boolean;
  /** It was pressed while the form wasn't valid. */
  readonly onInvalid: () => void;
  readonly onSend: (request: BuiltRequest) => void;
  readonly onStop: () => void;
}

/** Sends a read at once. Asks before it sends anything that can change something. */
export const SendButton = ({ route, request, isSending, onInvalid, onSend, onStop }: SendButtonProps) => {
  const [isAsking, setIsAsking] = useState(false);
  const isWrite = route.method !== 'GET';
  const asks = isWrite || SECRET_READS.has(route.id);
  const press = (): void => {
    if (!request) onInvalid();
    else if (asks) setIsAsking(true);
    else onSend(request);
  };
  const confirm = (): void => {
    setIsAsking(false);
    if (request) onSend(request);
  };
  return (
    <div className="flex gap-2">
      <Button variant="primary" disabled={isSending} onClick={press}>
        {isSending ? words.send.sending : asks ? words.send.ask : words.send.read}
      </Button>
      {isSending && <Button onClick={onStop}>{words.send.stop}</Button>}
      <Question
        open={isAsking}
        onCancel={() => setIsAsking(false)}
        title={words.send.writeTitle(route.method, request?.url ?? route.path)}
        description={isWrite ? words.send.writeHint : words.send.secretHint}
      >
        <Button onClick={() => setIsAsking(false)}>{strings.common.cancel}</Button>
        <Button variant={route.method === 'DELETE' ? 'danger' : 'primary'} onClick={confirm}>
          {words.send.confirm(route.method)}
        </Button>
      </Question>
    </div>
  );
};
