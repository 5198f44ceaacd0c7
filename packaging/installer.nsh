; cashu: links open dot-mi, unless another program has them. electron-builder's own `protocols` reaches macOS and Linux only.
; SHCTX is HKCU or HKLM, as the person installs for themselves or for all.
!define CASHU_KEY "Software\Classes\cashu"
; Where Electron keeps the start at login, under the program's id, and where Windows keeps that the person turned it off.
!define LOGIN_KEY "Software\Microsoft\Windows\CurrentVersion\Run"
!define LOGIN_CHOICE_KEY "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run"

; What Electron registers for notifications, under the id that src/main/index.ts sets.
!define NOTIFICATIONS_KEY "Software\Classes\CLSID\{5D500DE7-0A78-4693-A980-B06FF7BC391B}"

; Leaves in $R0 the command of cashu: links under ROOT and KEY, and in $R1 and $R2 the same text where it starts this
; program. Only the start is compared: dot-mi itself writes the line too, with quotes around the switch.
!macro readCashuCommand ROOT KEY
  ReadRegStr $R0 ${ROOT} "${KEY}\shell\open\command" ""
  StrCpy $R2 '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" '
  StrLen $R1 $R2
  StrCpy $R1 $R0 $R1
!macroend

!macro customInstall
  ; HKCR is what Windows goes by: HKLM with HKCU over it.
  !insertmacro readCashuCommand HKCR "cashu"
  ${if} $R0 == ""
  ${orIf} $R1 == $R2
    WriteRegStr SHCTX "${CASHU_KEY}" "" "URL:Cashu token"
    WriteRegStr SHCTX "${CASHU_KEY}" "URL Protocol" ""
    WriteRegStr SHCTX "${CASHU_KEY}\DefaultIcon" "" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
    ; After -- nothing is a switch: a link with a quote in it must not add its own.
    WriteRegStr SHCTX "${CASHU_KEY}\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" -- "%1"'
  ${endIf}
!macroend

; Only while it is still ours: another wallet may have taken cashu: since.
!macro releaseCashu ROOT
  !insertmacro readCashuCommand ${ROOT} "${CASHU_KEY}"
  ${if} $R1 == $R2
    DeleteRegKey ${ROOT} "${CASHU_KEY}"
  ${endIf}
!macroend

; Removes the start at login if its command begins with START. The portable program uses the same name.
!macro releaseLogin START
  ReadRegStr $R0 HKCU "${LOGIN_KEY}" "${APP_ID}"
  StrCpy $R2 '${START}'
  StrLen $R1 $R2
  StrCpy $R1 $R0 $R1
  ${if} $R1 == $R2
    DeleteRegValue HKCU "${LOGIN_KEY}" "${APP_ID}"
    DeleteRegValue HKCU "${LOGIN_CHOICE_KEY}" "${APP_ID}"
  ${endIf}
!macroend

; Removes what Electron registered for notifications, for the person who ran the program: a key, and a link in their
; Start menu. Only if they are this program's.
!macro releaseNotifications
  ReadRegStr $R0 HKCU "${NOTIFICATIONS_KEY}\LocalServer32" ""
  ${if} $R0 == "$INSTDIR\${APP_EXECUTABLE_FILENAME}"
    DeleteRegKey HKCU "${NOTIFICATIONS_KEY}"
    SetShellVarContext current
    Delete "$SMPROGRAMS\${PRODUCT_NAME}.lnk"
  ${endIf}
  ${if} $installMode == "all"
    SetShellVarContext all
  ${endIf}
!macroend

!macro customUnInstall
  !insertmacro releaseCashu SHCTX
  ; The program claims it for the person who runs it, also where it was installed for all.
  !insertmacro releaseCashu HKCU
  ; An update runs this too, and keeps the start at login.
  ${ifNot} ${isUpdated}
    ; Electron quotes a path only if it has a space.
    !insertmacro releaseLogin `"$INSTDIR\${APP_EXECUTABLE_FILENAME}" `
    !insertmacro releaseLogin "$INSTDIR\${APP_EXECUTABLE_FILENAME} "
    !insertmacro releaseNotifications
  ${endIf}
!macroend
