import { useState } from 'react';
import { signIn as words } from '../strings/sign-in.ts';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/dialog.tsx';
import { SignInForm } from './sign-in-form.tsx';

/** Signs in next to an action that needs it, so that nothing typed there is lost. */
export const SignInButton = () => {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        {words.open}
      </Button>
      <Modal open={isOpen} onOpenChange={setIsOpen} title={words.title} description={words.description}>
        <SignInForm onDone={() => setIsOpen(false)} />
      </Modal>
    </>
  );
};
