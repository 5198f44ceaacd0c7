; cashu: links open dot-mi. electron-builder's own `protocols` reaches macOS and Linux only.
; SHCTX is HKCU or HKLM, as the person installs for themselves or for all.
!macro customInstall
  WriteRegStr SHCTX "Software\Classes\cashu" "" "URL:Cashu token"
  WriteRegStr SHCTX "Software\Classes\cashu" "URL Protocol" ""
  WriteRegStr SHCTX "Software\Classes\cashu\DefaultIcon" "" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
  WriteRegStr SHCTX "Software\Classes\cashu\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
!macroend

!macro customUnInstall
  ; Only while it is still ours: another wallet may have taken cashu: since.
  ReadRegStr $R0 SHCTX "Software\Classes\cashu\shell\open\command" ""
  ${if} $R0 == '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
    DeleteRegKey SHCTX "Software\Classes\cashu"
  ${endIf}
!macroend
